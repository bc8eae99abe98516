import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { tripOf } from '../counters.contract.js';
import { CLAIM_MS } from '../port.js';
import type { UsageSnapshot } from '../port.js';
import { connectRedisCounters } from './connect.js';
import { openRedisCounters } from './open-redis-counters.js';
import { removeKeys } from './remove-keys.test-setup.js';

const url = process.env['COUNTERSIGN_TEST_REDIS_URL'] ?? '';
const withRedis = url === '' ? describe.skip : describe;
const log = { info: () => undefined, warn: () => undefined };
const MINUTE_MS = 60_000;
const EMPTY: UsageSnapshot = { accounts: [], agents: [], claims: [], versions: [] };
const keyed = (keySha256: string) => ({ idempotency: { keySha256, bodySha256: 'b' } });

withRedis('Redis counters (needs Redis: COUNTERSIGN_TEST_REDIS_URL)', () => {
  const prefix = `edges-${randomBytes(6).toString('hex')}-`;
  let redis: Redis;
  beforeAll(() => {
    redis = new Redis(url);
  });
  beforeEach(() => removeKeys(url, prefix));
  afterAll(async () => {
    await removeKeys(url, prefix);
    redis.disconnect();
  });

  const connect = (testClock: (() => number) | null, most = 1000) =>
    connectRedisCounters({
      url,
      prefix,
      log,
      deadlineMs: 2_000,
      settleMs: 0,
      claimBounds: { all: most, account: most },
      testClock,
    });

  it('keep a clock that never decreases, is never far behind, and slows down where it is ahead', async () => {
    const counters = await connect(null);
    await counters.serve();
    expect(Math.abs((await counters.now()) - Date.now())).toBeLessThan(1000);
    const state = `${prefix}cs1:state`;
    const ahead = Date.now() + 30_000;
    await redis.hset(state, 'time', ahead, 'read', Date.now());
    const first = await counters.now();
    expect(first).toBeGreaterThanOrEqual(ahead);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const passed = (await counters.now()) - first;
    expect(passed).toBeGreaterThan(150);
    expect(passed).toBeLessThan(350);
    // The wall clock of Redis stepped back by an hour.
    await redis.hset(state, 'time', ahead, 'read', Date.now() + 3_600_000);
    expect(await counters.now()).toBeGreaterThanOrEqual(ahead);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await counters.now()).toBeGreaterThan(ahead + 20);
    await redis.hset(state, 'time', Date.now() - 3_600_000, 'read', Date.now() - 3_600_000);
    expect(Math.abs((await counters.now()) - Date.now())).toBeLessThan(1000);
    await counters.close();
  });

  it('use a clock that does not fall behind what they are rebuilt from, unless that is days ahead', async () => {
    const counters = await connect(null);
    const answer = { status: 200, body: '{}', eventId: 'e', coverage: null };
    const claim = { accountId: 'a', keySha256: 'k', bodySha256: 'b', profileVersion: 1, answer };
    const ahead = Date.now() + 3_600_000;
    const mistaken = Date.now() + 3 * 86_400_000;
    await counters.restore({
      ...EMPTY,
      claims: [
        { ...claim, occurredAtMs: ahead },
        { ...claim, keySha256: 'l', occurredAtMs: mistaken },
      ],
    });
    await counters.serve();
    const now = await counters.now();
    expect(now).toBeGreaterThanOrEqual(ahead);
    expect(now).toBeLessThan(ahead + MINUTE_MS);
    await counters.close();
  });

  it('hold sums up to 2^53 − 1 exactly across a rebuild', async () => {
    const nowMs = Date.UTC(2026, 10, 21);
    const counters = await connect(() => nowMs);
    const most = Number.MAX_SAFE_INTEGER;
    const agent = { agentId: 'agent', day: '2026-11-21', month: '2026-11', rateTimes: [], frozen: false };
    await counters.restore({
      ...EMPTY,
      agents: [{ ...agent, dayMicros: most - 2, monthMicros: most - 1, unfrozenAtMs: 0 }],
    });
    await counters.serve();
    const spending = { limitMicros: most - 1, window: 'day' } as const;
    const outcome = async (costMicros: number) => {
      const result = await counters.check(tripOf({ costMicros, spending }));
      return result.kind === 'judged' ? [result.judgement.outcome, result.judgement.violation?.detail] : result.kind;
    };
    expect(await outcome(2)).toEqual(['denied', expect.stringContaining('9007199254.740989 USD already')]);
    expect(await outcome(1)).toEqual(['allowed', undefined]);
    expect(await outcome(1)).toEqual(['denied', expect.stringContaining('9007199254.74099 USD already')]);
    await counters.close();
  });

  it('expire everything that can no longer decide', async () => {
    const counters = await connect(null);
    await counters.serve();
    await counters.check(tripOf({ ...keyed('k'), rate: { max: 5, per_seconds: 60 }, costMicros: 1 }));
    await counters.answered('account', 'k', { status: 200, body: '{}', eventId: 'e', coverage: null });
    await counters.raise('session', 's', 1);
    const ttl = (name: string) => redis.pttl(`${prefix}cs1:${name}`);
    expect(await ttl('c:account:k')).toBeGreaterThan(CLAIM_MS - MINUTE_MS);
    expect(await ttl('c:account:k')).toBeLessThanOrEqual(CLAIM_MS + 2 * MINUTE_MS);
    expect(await ttl('r:agent')).toBeGreaterThan(MINUTE_MS);
    expect(await ttl('r:agent')).toBeLessThanOrEqual(3 * MINUTE_MS + 1000);
    expect(await ttl('s:s')).toBeGreaterThan(86_400_000);
    await counters.close();
  });

  it('load their scripts again when Redis has lost them', async () => {
    const counters = await connect(null);
    await counters.serve();
    await redis.script('FLUSH');
    const results = await Promise.all(Array.from({ length: 20 }, () => counters.check(tripOf())));
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['judged']));
    await counters.close();
  });

  it('do not open where no Redis answers, and report it', async () => {
    await expect(openRedisCounters({ url: 'redis://127.0.0.1:1' })).rejects.toMatchObject({
      name: 'CountersUnavailable',
      message: expect.stringContaining('cannot be reached') as string,
    });
  });

  it('reject and are unavailable once closed', async () => {
    const counters = await openRedisCounters({ url, prefix });
    expect(counters.unavailable()).toContain('must be rebuilt');
    await counters.serve();
    await counters.close();
    expect(counters.unavailable()).toContain('closed');
    expect((await counters.check(tripOf())).kind).toBe('unavailable');
    await expect(counters.raise('agent', 'a', 1)).rejects.toMatchObject({ name: 'CountersUnavailable' });
  });
});
