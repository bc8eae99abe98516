import { MEMO_PROGRAM_ID } from './port.js';

const MEMO_PROGRAMS = new Set([MEMO_PROGRAM_ID, 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo']);

/** Texts of the memo instructions (either version of the program) among `instructions`, those that are UTF-8. */
export function memoTexts(
  instructions: Iterable<{ readonly programId: string; readonly data: Uint8Array }>,
): readonly string[] {
  const texts: string[] = [];
  for (const { programId, data } of instructions) {
    if (!MEMO_PROGRAMS.has(programId)) continue;
    const text = utf8(data);
    if (text !== null) texts.push(text);
  }
  return texts;
}

/**
 * Texts of a memo column as nodes list it: `[length in bytes] text`, several joined by `; `. Text of another format
 * ends the list.
 */
export function listedMemos(column: string | null): readonly string[] {
  const texts: string[] = [];
  let rest = Buffer.from(column ?? '', 'utf8');
  for (;;) {
    const [head, length] = /^\[(\d{1,5})\] /.exec(rest.subarray(0, 9).toString('latin1')) ?? [];
    if (head === undefined) return texts;
    const end = head.length + Number(length);
    if (end > rest.length) return texts;
    texts.push(rest.subarray(head.length, end).toString('utf8'));
    if (rest.subarray(end, end + 2).toString('latin1') !== '; ') return texts;
    rest = rest.subarray(end + 2);
  }
}

/** `null`: not UTF-8. A byte order mark is kept as a character. */
function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
