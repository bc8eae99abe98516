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

export function isMemoProgram(address: string): boolean {
  return MEMO_PROGRAMS.has(address);
}

/** `null`: not UTF-8. A byte order mark stays what it is, a character. */
export function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
