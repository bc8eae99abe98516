import { RULE_BOUNDS } from '../port.js';
import type { ClaimBounds, RuleBounds } from '../port.js';
import { keysBelow } from './keys.js';
import { RedisCounters } from './redis-counters.js';
import { RedisLink } from './redis-link.js';
import type { RedisLinkOptions } from './redis-link.js';

export interface ConnectOptions {
  readonly url: string;
  readonly prefix: string;
  readonly log: RedisLinkOptions['log'];
  readonly deadlineMs: number;
  readonly settleMs: number;
  readonly claimBounds: ClaimBounds;
  /** Default `RULE_BOUNDS`. */
  readonly ruleBounds?: RuleBounds;
  /** Only for tests. */
  readonly testClock: (() => number) | null;
}

/** @throws CountersUnavailable when Redis cannot be reached or used */
export async function connectRedisCounters(options: ConnectOptions): Promise<RedisCounters> {
  const { url, prefix, log, deadlineMs, settleMs, claimBounds, ruleBounds = RULE_BOUNDS, testClock } = options;
  const link = await RedisLink.open({ url, log, deadlineMs, now: () => performance.now() });
  const parts = { link, keys: keysBelow(prefix), claimBounds, ruleBounds, settleMs, testClock };
  const counters = new RedisCounters(parts);
  await counters.look();
  return counters;
}
