import { setTimeout as sleep } from 'node:timers/promises';
import type { CountedEvent } from '../port.js';
import { connectRedisCounters } from './connect.js';
import { Gateways, DEADLINE_MS } from './gateways.test-setup.js';
import { OwnRedis, redisServerInstalled } from './redis-server.test-setup.js';

const possible = process.env['COUNTERSIGN_TEST_REDIS_URL'] !== undefined && redisServerInstalled();
const withRedis = possible ? describe : describe.skip;

const QUIET = {
  log: { info: () => undefined, warn: () => undefined },
  deadlineMs: DEADLINE_MS,
  settleMs: 0,
  claimBounds: { all: 1000, account: 1000 },
  testClock: null,
};
const EVENT = {
  partition: 0,
  offset: 0,
  accountId: 'account',
  agentId: 'agent',
  occurredAtMs: Date.now(),
  countsAction: true,
  countsRate: false,
  costMicros: 0,
  freezesAgent: false,
  idempotency: null,
};

withRedis('counters whose Redis breaks (needs redis-server and COUNTERSIGN_TEST_REDIS_URL)', () => {
  let redis: OwnRedis;
  let gateways: Gateways;
  beforeEach(async () => {
    redis = new OwnRedis();
    await redis.start();
    gateways = new Gateways(redis.url);
    await gateways.open(2);
    gateways.load();
    await sleep(500);
  });
  afterEach(async () => {
    await gateways.close();
    await redis.close();
  });

  const unavailable = () => gateways.answers.get('unavailable') ?? 0;
  const exact = async () => {
    await sleep(300);
    await gateways.idle();
    await gateways.serving();
    await sleep(200);
    expect(gateways.log.length).toBeGreaterThan(100);
    expect(await gateways.tooMuch()).toEqual([0, 0]);
  };

  it('serve no gateway after a flush, until one of them has rebuilt them', async () => {
    // A busy machine may have delayed a few too long before.
    const before = unavailable();
    expect(before).toBeLessThan(20);
    expect(gateways.rebuilds).toBe(1);
    await redis.ask((client) => client.flushdb());
    await sleep(100);
    expect(unavailable()).toBeGreaterThan(before);
    expect(gateways.counters.map((counters) => counters.unavailable())).toEqual([
      expect.stringContaining('rebuilt'),
      expect.stringContaining('rebuilt'),
    ]);
    await gateways.serving();
    expect(gateways.rebuilds).toBe(2);
    await exact();
  });

  it('are rebuilt when it was killed and restarts without its last writes', async () => {
    await redis.kill();
    await sleep(100);
    const begun = performance.now();
    expect((await gateways.counters[0]!.now().catch((error: Error) => error)) as Error).toMatchObject({
      name: 'CountersUnavailable',
    });
    expect(performance.now() - begun).toBeLessThan(20);
    expect(gateways.counters[0]!.unavailable()).toContain('cannot be reached');
    redis.loseTail(20_000);
    await redis.start();
    await sleep(1200);
    await gateways.serving();
    expect(gateways.rebuilds).toBe(2);
    await exact();
  });

  it('answer in time while it is paused, recover by themselves, and count no refused check', async () => {
    redis.signal('SIGSTOP');
    await sleep(1500);
    const silent = gateways.counters[0]!.unavailable();
    redis.signal('SIGCONT');
    expect(silent).toBe(`Redis has not answered for ${DEADLINE_MS} ms`);
    expect(gateways.slowestMs).toBeLessThan(DEADLINE_MS + 150);
    await sleep(300);
    await gateways.serving();
    expect(gateways.rebuilds).toBe(1);
    await exact();
  });

  it('let no gateway continue a rebuild whose lease has passed to another, or that began before a flush', async () => {
    await gateways.close();
    const connect = () => connectRedisCounters({ ...QUIET, url: redis.url, prefix: 'turns:' });
    const [stalled, next] = [await connect(), await connect()];
    const event = (eventId: string): CountedEvent => ({ ...EVENT, eventId });
    expect(await stalled.beginRebuild()).toEqual({ settleMs: 0 });
    expect(await next.beginRebuild()).toBeNull();
    await stalled.replay([event('1')]);
    await redis.ask((client) => client.del('turns:cs1:turn'));
    expect(await next.beginRebuild()).not.toBeNull();
    const refused = { name: 'CountersUnavailable', message: expect.stringContaining('another') as string };
    await expect(stalled.replay([event('2')])).rejects.toMatchObject(refused);
    await expect(stalled.serve()).rejects.toMatchObject(refused);
    await next.replay([event('1'), event('2')]);
    await redis.ask((client) => client.flushdb());
    await expect(next.serve()).rejects.toMatchObject({ name: 'CountersUnavailable' });
    expect(await stalled.beginRebuild()).not.toBeNull();
    await stalled.replay([event('1'), event('2'), event('3')]);
    await stalled.serve();
    expect((await next.usage('account')).actionsEver).toBe(3);
    expect(await next.beginRebuild()).toBeNull();
    expect(next.unavailable()).toBeNull();
    await Promise.all([stalled.close(), next.close()]);
  });
});
