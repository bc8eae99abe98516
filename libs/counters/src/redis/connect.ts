import type { ClaimBounds } from '../port.js';
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
  /** Only for tests. */
  readonly testClock: (() => number) | null;
}

/** @throws CountersUnavailable when Redis cannot be reached or used */
export async function connectRedisCounters(options: ConnectOptions): Promise<RedisCounters> {
  const { url, prefix, log, deadlineMs, settleMs, claimBounds, testClock } = options;
  const link = await RedisLink.open({ url, log, deadlineMs, now: () => performance.now() });
  const counters = new RedisCounters({ link, keys: keysBelow(prefix), claimBounds, settleMs, testClock });
  await counters.look();
  return counters;
}
