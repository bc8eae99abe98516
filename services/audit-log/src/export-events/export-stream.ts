import type { EventFilter } from '../domain/event-filter.js';
import type { StoredEvent } from '../domain/event-record.js';
import type { EventStore, Cursor } from '../store/port.js';

/** A form that events are written in, as text that is read in UTF-8. */
export interface ExportForm {
  readonly contentType: string;
  readonly fileName: string;
  /** Text before the first event. */
  readonly head: string;
  /** Events, whole: texts of several calls stand behind each other as they are. */
  write(events: readonly StoredEvent[]): string;
}

/** Events that are read without a pause. */
const EVENTS_AT_ONCE = 250;
/** Events of a piece: a text so short is dropped while it is young; many large ones would fill the heap first. */
const EVENTS_OF_A_PIECE = 25;

/**
 * Everything that the filter lets through, newest first, in pieces of bounded length. One piece is made when it is asked
 * for, so a reader that is slow, or goes away, holds no more than a page. The first piece comes when the
 * store has answered.
 */
export async function* exportStream(
  store: Pick<EventStore, 'pageAfter'>,
  accountId: string,
  filter: EventFilter,
  form: ExportForm,
): AsyncGenerator<string, void, void> {
  let after: Cursor | null = null;
  let begun = false;
  do {
    const { events, next } = await store.pageAfter(accountId, filter, after, EVENTS_AT_ONCE);
    if (!begun && form.head !== '') yield form.head;
    begun = true;
    for (let n = 0; n < events.length; n += EVENTS_OF_A_PIECE) {
      yield form.write(events.slice(n, n + EVENTS_OF_A_PIECE));
    }
    after = next;
  } while (after !== null);
}
