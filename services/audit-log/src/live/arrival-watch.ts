import type { ArrivalPlace, Arrivals, EventStore } from '../store/port.js';
import { textOfPlace } from '../domain/arrival-place.js';
import type { EventFilter } from '../domain/event-filter.js';

/** How often the store is asked how far it is, while anybody waits. */
const ASK_MS = 250;

type Read = Pick<EventStore, 'arrivalPlace' | 'arrivals' | 'positions'>;

/** How far the archive was at a time. */
export interface Arrived {
  readonly place: ArrivalPlace;
  /** Changes when windows were stored. */
  readonly anchors: string;
}

/**
 * How far the archive is, for all live feeds of this process: the store is asked once for all of them, and not at all while
 * there are none. Equal questions between the same places are read once.
 */
export class ArrivalWatch {
  readonly #store: Read;
  readonly #waiting = new Set<(state: Arrived | Error) => void>();
  #timer: NodeJS.Timeout | null = null;
  readonly #reads = new Map<string, Promise<Arrivals>>();

  constructor(store: Read) {
    this.#store = store;
  }

  async now(): Promise<Arrived> {
    const [place, anchors] = await Promise.all([this.#store.arrivalPlace(), this.#store.positions('anchors')]);
    return { place, anchors: JSON.stringify(anchors) };
  }

  /** The state at the next look. @throws what the store throws */
  next(): Promise<Arrived> {
    return new Promise((resolve, reject) => {
      this.#waiting.add((state) => (state instanceof Error ? reject(state) : resolve(state)));
      this.#timer ??= setTimeout(() => void this.#look(), ASK_MS);
    });
  }

  /** As `arrivals` of the store. */
  read(
    accountId: string,
    filter: EventFilter,
    places: { readonly after: ArrivalPlace; readonly to: ArrivalPlace },
    limit: number,
  ): Promise<Arrivals> {
    const key = JSON.stringify([accountId, filter, textOfPlace(places.after), textOfPlace(places.to), limit]);
    const known = this.#reads.get(key);
    if (known !== undefined) return known;
    const read = this.#store.arrivals(accountId, filter, places, limit);
    this.#reads.set(key, read);
    return read;
  }

  async #look(): Promise<void> {
    const state = await this.now().catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
    this.#timer = null;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.#reads.clear();
    for (const wake of waiting) wake(state);
  }
}
