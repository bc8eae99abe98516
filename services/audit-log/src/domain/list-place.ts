import type { Cursor } from '../store/port.js';
import type { EventFilter } from './event-filter.js';

/** Members of a filter that select the order of its list. */
type ListedBy = Pick<EventFilter, 'agentId' | 'trace'>;

/**
 * The text that a client sends as `before`: where its list continues. Lists of one agent, of a trace and of all agents
 * have places of different kinds, so the text names the list.
 */
export function placeText(filter: ListedBy, cursor: Cursor): string {
  return Buffer.from(JSON.stringify([nameOf(filter), ...cursor])).toString('base64url');
}

/** The cursor of a text; `null` if it is none, or one of another list. */
export function placeOfText(filter: ListedBy, text: string): Cursor | null {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
  if (!Array.isArray(read) || read.length < 3 || read.length > 4 || read[0] !== nameOf(filter)) return null;
  const cursor = read.slice(1) as unknown[];
  return cursor.every((part): part is number => Number.isSafeInteger(part)) ? cursor : null;
}

function nameOf({ agentId = '', trace }: ListedBy): string {
  return trace === undefined ? agentId : `${agentId}/${trace}`;
}
