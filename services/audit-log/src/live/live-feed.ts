import type { LiveMessages } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { distance, placeOfText, runsBetween, textOfPlace, towards } from '../domain/arrival-place.js';
import type { EventFilter } from '../domain/event-filter.js';
import { listedEvent, type StoredEvent } from '../domain/event-record.js';
import { ARRIVALS_LENGTH, type ArrivalPlace, type EventStore } from '../store/port.js';
import type { ArrivalWatch, Arrived } from './arrival-watch.js';

/** Records of one message; more that arrived since the last one are counted. */
const RECORDS = 100;
/** Records of a feed that continues, and messages of a partition that are read at a time. */
const RESUMED = 1000;
const STRIDE = 20_000;
const PING_MS = 15_000;
const JUDGE_MS = 10_000;
/** How often what is not an event is looked at: the inbox and the anchored sequences. */
const STATE_MS = 1000;
/** A feed of an account with more agents does not say which of them are anchored. */
const MOST_AGENTS = 1000;
const AGENTS_AT_ONCE = 100;

export interface FeedOptions {
  readonly accountId: string;
  /** By agent, class and rule alone. */
  readonly filter: EventFilter;
  /** The event as the reader may see it. */
  readonly shown: (event: StoredEvent) => StoredEvent;
  /** The value that the client sent as `Last-Event-ID`. */
  readonly lastEventId: string | undefined;
  /** `null`: the feed ends with the session. */
  readonly endsAfterMs: number | null;
  /** Agents of the account, as they are known now. */
  readonly agentIds: () => readonly string[];
  /** Rejects once the session has ended. */
  readonly identifyAgain: () => Promise<unknown>;
  readonly clock: () => number;
}

type Store = Pick<EventStore, 'inbox' | 'agentStates'>;

/**
 * A live feed as text of `text/event-stream`. Each piece is made when it is asked for, from where the last one ended: a
 * reader that is slow gets fewer messages with more that were skipped, and nothing is kept for it. Empty pieces let the
 * caller notice a reader that is gone.
 */
export class LiveFeed {
  readonly #watch: ArrivalWatch;
  readonly #store: Store;
  readonly #options: FeedOptions;
  #place: ArrivalPlace = [];
  #anchors = '';
  #through: ReadonlyMap<string, number> | null = null;
  #openCount = -1;
  #checkedAt = 0;

  constructor(watch: ArrivalWatch, store: Store, options: FeedOptions) {
    this.#watch = watch;
    this.#store = store;
    this.#options = options;
  }

  async *pieces(): AsyncGenerator<string, void, void> {
    const { endsAfterMs } = this.#options;
    const begun = performance.now();
    let [sentAt, judgedAt] = [begun, begun];
    yield* this.#begin(await this.#watch.now());
    for (;;) {
      let piece: string;
      try {
        const state = await this.#watch.next();
        piece = (await this.#arrived(state)) + (await this.#state(state));
        if (performance.now() - judgedAt >= JUDGE_MS) {
          await this.#options.identifyAgain();
          judgedAt = performance.now();
        }
      } catch (error) {
        yield message('bye', { reason: error instanceof HttpRefusal ? error.message : UNREADABLE });
        return;
      }
      const now = performance.now();
      if (piece === '' && now - sentAt >= PING_MS) piece = ': still here\n\n';
      if (piece !== '') sentAt = now;
      yield piece;
      if (endsAfterMs === null || now - begun < endsAfterMs) continue;
      yield message('bye', { reason: 'the time that was asked for is over' });
      return;
    }
  }

  async *#begin(state: Arrived): AsyncGenerator<string, void, void> {
    const sent = placeOfText(this.#options.lastEventId ?? '');
    const missed = sent === null ? null : distance(sent, state.place);
    const resumed = sent !== null && missed !== null && missed <= STRIDE;
    this.#place = resumed ? sent : state.place;
    const asOf = new Date(this.#options.clock()).toISOString();
    // A feed that continues has its new place once what it missed is sent.
    yield `retry: 2000\n${message('hello', { asOf, resumed }, resumed ? undefined : state.place)}`;
    this.#anchors = state.anchors;
    if (resumed) yield await this.#arrived(state, RESUMED);
    yield await this.#state(state);
  }

  /** The events that arrived since the last piece, and where the next one goes on. */
  async #arrived({ place: end }: Arrived, most = RECORDS): Promise<string> {
    // A store that was put back to an older state: its places are lower than before.
    if (distance(this.#place, end) === null) this.#place = end;
    const to = towards(this.#place, end, STRIDE);
    if (runsBetween(this.#place, to).length === 0) return '';
    const { accountId, filter, clock, shown } = this.#options;
    const { events, count } = await this.#watch.read(accountId, filter, { after: this.#place, to }, most);
    this.#place = to;
    if (count === 0) return '';
    const now = clock();
    const kept = newest(events);
    let text = '';
    for (let at = 0; at < kept.length; at += RECORDS) {
      const records = kept.slice(at, at + RECORDS).map((event) => listedEvent(shown(event), now));
      const skipped = at === 0 ? count - kept.length : 0;
      text += message('events', { events: records, skipped }, at + RECORDS < kept.length ? undefined : to);
    }
    return text;
  }

  /** The inbox and the anchored sequences, where they have changed. */
  async #state({ anchors }: Arrived): Promise<string> {
    const now = performance.now();
    if (this.#through !== null && now - this.#checkedAt < STATE_MS) return '';
    this.#checkedAt = now;
    const { openCount } = await this.#store.inbox(this.#options.accountId);
    const inbox = openCount === this.#openCount ? '' : message('inbox', { openCount });
    this.#openCount = openCount;
    if (this.#through !== null && anchors === this.#anchors) return inbox;
    this.#anchors = anchors;
    const before = this.#through;
    const through = await this.#anchoredThrough();
    this.#through = through;
    const agents = [...through]
      .filter(([agentId, last]) => before !== null && last > (before.get(agentId) ?? 0))
      .map(([agentId, last]) => ({ agentId, through: last }));
    return inbox + (agents.length === 0 ? '' : message('anchored', { agents }));
  }

  async #anchoredThrough(): Promise<ReadonlyMap<string, number>> {
    const ids = this.#options.agentIds();
    const found = new Map<string, number>();
    if (ids.length > MOST_AGENTS) return found;
    for (let at = 0; at < ids.length; at += AGENTS_AT_ONCE) {
      const states = await this.#store.agentStates(ids.slice(at, at + AGENTS_AT_ONCE));
      for (const { agentId, anchoredThrough } of states) found.set(agentId, anchoredThrough);
    }
    return found;
  }
}

const UNREADABLE = 'the archive cannot be read at the moment: connect again';

/** The newest events that fit a message together; at least one. */
function newest(events: readonly StoredEvent[]): readonly StoredEvent[] {
  let length = 0;
  let first = events.length;
  while (first > 0) {
    const { leaf, openings } = events[first - 1]!;
    length += JSON.stringify(leaf).length + JSON.stringify(openings).length;
    if (length > ARRIVALS_LENGTH && first < events.length) break;
    first -= 1;
  }
  return events.slice(first);
}

function message<K extends keyof LiveMessages>(name: K, data: LiveMessages[K], place?: ArrivalPlace): string {
  const id = place === undefined ? '' : `id: ${textOfPlace(place)}\n`;
  return `${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
