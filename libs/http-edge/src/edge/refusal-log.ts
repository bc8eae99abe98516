import type { Logger } from 'pino';
import { apiKeyPrefix, isWellFormedApiKey } from '@countersign/process';

const WINDOW_MS = 1000;
/** Lines in one window. */
const MOST = 20;

/** Where a refused request came from. */
export interface RequestSource {
  /** The `x-request-id` of the answer. */
  readonly requestId: string;
  /** The client's IP address. */
  readonly address: string;
  /** The public part of the API key that was sent; `null`: none, or a text that is no key of this product. */
  readonly keyPrefix: string | null;
}

/**
 * Logs refused requests: in each second the first of a status and an address, at most 20 in all, so that a flood of them
 * stays cheap. The next line of a status has the number of those that were not logged, as `more`.
 */
export class RefusalLog {
  readonly #logged = new Set<string>();
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
    const from = this.#logged.size < MOST ? source() : null;
    const place = `${status} ${from?.address ?? ''}`;
    const more = this.#silent.get(status) ?? 0;
    if (this.#logged.size >= MOST || this.#logged.has(place)) {
      this.#silent.set(status, more + 1);
      return;
    }
    this.#logged.add(place);
    this.#silent.delete(status);
    const entry = { status, reason, ...from, more };
    if (status >= 500) this.log.warn(entry, `${this.what} not answered`);
    else this.log.info(entry, `${this.what} refused`);
  }
}

/** The prefix of a key as lists of keys show it. A text of another form may be a secret of another kind: `null`. */
export function loggedKeyPrefix(apiKey: string | null): string | null {
  return apiKey !== null && isWellFormedApiKey(apiKey) ? apiKeyPrefix(apiKey) : null;
}
