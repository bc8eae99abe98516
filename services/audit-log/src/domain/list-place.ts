import type { Cursor } from '../store/port.js';

/**
 * The text that a client sends as `before`: where its list continues. Lists of one agent and of all agents have places
 * of different kinds, so the text names the list.
 */
export function placeText(agentId: string | undefined, cursor: Cursor): string {
  return Buffer.from(JSON.stringify([agentId ?? '', ...cursor])).toString('base64url');
}

/** The cursor of a text; `null` if it is none, or one of another list. */
export function placeOfText(agentId: string | undefined, text: string): Cursor | null {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
  if (!Array.isArray(read) || read.length < 3 || read.length > 4 || read[0] !== (agentId ?? '')) return null;
  const cursor = read.slice(1) as unknown[];
  return cursor.every((part): part is number => Number.isSafeInteger(part)) ? cursor : null;
}
