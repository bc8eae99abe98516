import { HttpRefusal } from '@countersign/http-edge';

const MOST_OF_ONE_ACCOUNT = 4;
const MOST_OF_ALL = 16;
/** A reader that took no piece for this time may lose its place, ms: large buffers on the way are emptied in less. */
const SLOW_MS = 30_000;

/** An export under way. */
export interface RunningExport {
  /** A piece is there for the reader to take. */
  waits(): void;
  /** The reader took it. */
  works(): void;
  /** Once is enough. */
  end(): void;
}

interface Place {
  readonly accountId: string;
  readonly cut: () => void;
  /** Since when its reader takes nothing; `null`: the next piece is being made. */
  waitsSince: number | null;
}

/**
 * Exports under way in this process: each takes time from all other requests to the archive. Where all places are taken, the
 * slowest reader of an account that has more of them than the one that asks gives up its place.
 */
export class RunningExports {
  readonly #places = new Set<Place>();

  /** @param now monotonic, ms */
  constructor(readonly now: () => number = () => performance.now()) {}

  /**
   * @param cut ends the export for its reader, where its place is needed
   * @throws HttpRefusal 503 where as many are under way as may be
   */
  begin(accountId: string, cut: () => void): RunningExport {
    const own = this.#of(accountId);
    if (own >= MOST_OF_ONE_ACCOUNT) throw tooMany();
    if (this.#places.size >= MOST_OF_ALL) this.#makeRoom(own);
    const place: Place = { accountId, cut, waitsSince: null };
    this.#places.add(place);
    return {
      waits: () => void (place.waitsSince = this.now()),
      works: () => void (place.waitsSince = null),
      end: () => void this.#places.delete(place),
    };
  }

  #makeRoom(own: number): void {
    const slowSince = this.now() - SLOW_MS;
    const [slowest] = [...this.#places]
      .filter(({ waitsSince, accountId }) => (waitsSince ?? Infinity) <= slowSince && this.#of(accountId) > own + 1)
      .sort((a, b) => a.waitsSince! - b.waitsSince!);
    if (slowest === undefined) throw tooMany();
    this.#places.delete(slowest);
    slowest.cut();
  }

  #of(accountId: string): number {
    return [...this.#places].filter((place) => place.accountId === accountId).length;
  }
}

function tooMany(): HttpRefusal {
  return new HttpRefusal(503, 'too many exports are under way: wait for one to end', { 'retry-after': '5' });
}
