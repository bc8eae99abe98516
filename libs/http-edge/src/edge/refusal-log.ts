import type { Logger } from 'pino';
import { apiKeyPrefix, isWellFormedApiKey } from '@countersign/process';
import { placeOf } from './address-allowance.js';

const WINDOW_MS = 1000;
/** Lines of one status in one window. */
const MOST = 20;

/** Where a refused request came from. */
export interface RequestSource {
  /** The `x-request-id` of the answer. */
  readonly requestId: string;
  /** The client's IP address. */
  readonly address: string;
  /** As sent; only the public part of a key of this product is logged. */
  readonly apiKey: string | null;
}

/**
 * Logs refused requests: in each second the first of a status and a place (an IPv4 address, or an IPv6 network of 64 bits),
 * at most 20 of a status, so that a flood of them stays cheap. The next line of a status has the number of those that were
 * not logged, as `more`.
 */
export class RefusalLog {
  readonly #logged = new Map<number, Set<string>>();
  readonly #silent = new Map<number, number>();
  #begun = -Infinity;

  /**
   * @param what is refused: `check`
   * @param now ms, monotonic
   */
  constructor(
    private readonly log: Pick<Logger, 'info' | 'warn'>,
    private readonly what: string,
    private readonly now: () => number,
  ) {}

  /** @param source is asked only for what may be logged; returns `null` if the source is not known */
  refused(status: number, reason: string, source: () => RequestSource | null): void {
    const now = this.now();
    if (now - this.#begun >= WINDOW_MS) {
      this.#begun = now;
      this.#logged.clear();
    }
    const logged = this.#logged.get(status) ?? new Set();
    this.#logged.set(status, logged);
    const more = this.#silent.get(status) ?? 0;
    const from = logged.size < MOST ? source() : null;
    const place = from === null ? '' : placeOf(from.address);
    if (logged.size >= MOST || logged.has(place)) {
      this.#silent.set(status, more + 1);
      return;
    }
    logged.add(place);
    this.#silent.delete(status);
    const entry = { status, reason, ...(from === null ? {} : shown(from)), more };
    if (status >= 500) this.log.warn(entry, `${this.what} not answered`);
    else this.log.info(entry, `${this.what} refused`);
  }
}

/** With the prefix of a key as lists of keys show it. A text of another form may be a secret of another kind: `null`. */
function shown({ requestId, address, apiKey }: RequestSource): object {
  const keyPrefix = apiKey !== null && isWellFormedApiKey(apiKey) ? apiKeyPrefix(apiKey) : null;
  return { requestId, address, keyPrefix };
}
