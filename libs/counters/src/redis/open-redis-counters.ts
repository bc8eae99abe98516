import { CLAIM_BOUNDS } from '../port.js';
import type { ClaimBounds, Counters } from '../port.js';

export interface OpenRedisCountersOptions {
  /** `redis://` or `rediss://`, with the number of the database as path. */
  readonly url: string;
  /** Before the names of all keys, for installations that share a database; default none. */
  readonly prefix?: string;
  readonly log?: Log;
  /** So long a call waits for Redis, ms; default 250. */
  readonly deadlineMs?: number;
  /** So long after the counters stopped serving an event that they judged may still reach the log, ms. */
  readonly settleMs?: number;
  /** Idempotency keys remembered at a time (24 hours each); default `CLAIM_BOUNDS`. */
  readonly claimBounds?: ClaimBounds;
}

interface Log {
  warn(detail: object, words: string): void;
  info(detail: object, words: string): void;
}

const SILENT: Log = { warn: () => undefined, info: () => undefined };

/**
 * The counters of any number of processes on one Redis (7 or later, a single primary that evicts nothing). They serve
 * once one of the gateways has rebuilt them. The driver is loaded here, so that whoever does not call this needs none.
 * @throws CountersUnavailable when Redis cannot be reached or cannot hold them
 */
export async function openRedisCounters(options: OpenRedisCountersOptions): Promise<Counters> {
  const { connectRedisCounters } = await import('./connect.js');
  const deadlineMs = options.deadlineMs ?? 250;
  return connectRedisCounters({
    url: options.url,
    prefix: options.prefix ?? '',
    log: options.log ?? SILENT,
    deadlineMs,
    // Gateways append until the same deadline; the log's own answer may take as long again.
    settleMs: options.settleMs ?? 2 * deadlineMs + 1000,
    claimBounds: options.claimBounds ?? CLAIM_BOUNDS,
    testClock: null,
  });
}
