import { CLAIM_BOUNDS, RULE_BOUNDS } from '../port.js';
import type { ClaimBounds, Counters, RuleBounds } from '../port.js';

export interface OpenRedisCountersOptions {
  /** `redis://` or `rediss://`, with the number of the database as path. */
  readonly url: string;
  /** Prefix of the names of all keys, for installations that share a database; default none. */
  readonly prefix?: string;
  readonly log?: Log;
  /** Timeout of a call to Redis, ms; default 250. */
  readonly deadlineMs?: number;
  /** Time after the counters stopped serving within which an event that they judged may still reach the log, ms. */
  readonly settleMs?: number;
  /** Number of idempotency keys remembered (24 hours each); default `CLAIM_BOUNDS`. */
  readonly claimBounds?: ClaimBounds;
  /** Number of facts, windows and amounts that are kept; default `RULE_BOUNDS`. */
  readonly ruleBounds?: RuleBounds;
}

interface Log {
  warn(detail: object, words: string): void;
  info(detail: object, words: string): void;
}

const SILENT: Log = { warn: () => undefined, info: () => undefined };

/**
 * The counters of any number of processes on one Redis (7 or later, a single primary without eviction). They serve once
 * one of the gateways has rebuilt them. The driver is loaded here, so that other callers do not need one.
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
    ruleBounds: options.ruleBounds ?? RULE_BOUNDS,
    testClock: null,
  });
}
