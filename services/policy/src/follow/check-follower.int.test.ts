import { plainEnvelope, plainLeaf, uuidV7 } from '@countersign/evidence';
import type { DeadLetter, EventEnvelope, UsageFacts } from '@countersign/contracts';
import { CountersUnavailable } from '@countersign/counters';
import type { LogBatch, NewRecord } from '@countersign/event-log';
import { killAt } from '@countersign/test-kit';
import { ACCOUNT, AGENT, check, events, newest, openBench, parts, readTopic } from '../policy.test-context.js';
import type { Bench } from '../policy.test-context.js';
import { openSqlitePolicyStore } from '../store/open.js';
import type { PolicyStore } from '../store/port.js';
import { UsagePublisher } from './usage-publisher.js';

const CALLER = { accountId: ACCOUNT, actor: { kind: 'user', id: 'u-1' }, apiKeyId: null } as const;
const FIELDS = { name: 'Booking', type: null, purpose: null, version: null };
const T = Date.UTC(2026, 2, 1, 12);

const id = (n: number): string => uuidV7(T + n, new Uint8Array(10).fill(n));
const message = (envelope: EventEnvelope): NewRecord => ({
  topic: 'agent-events',
  key: AGENT,
  value: JSON.stringify(envelope),
});

async function rest(bench: Bench, from: number): Promise<LogBatch> {
  const records = await bench.eventLog.read('agent-events', 0, from, 1000);
  return { topic: 'agent-events', partition: 0, records, endOffset: from + records.length };
}

/** Everything that the log has beyond the stored position. */
async function followAll(bench: Bench): Promise<void> {
  const batch = await rest(bench, (await bench.store.position(0)) ?? 0);
  if (batch.records.length > 0) await bench.follower.handle(batch);
}

async function usage(bench: Bench): Promise<Map<string, UsageFacts | null>> {
  const records = await newest<UsageFacts>(bench.eventLog, 'usage');
  return new Map([...records].map(([key, { value }]) => [key, value]));
}

describe('following checks on a real log', () => {
  let bench: Bench;
  let publisher: UsagePublisher;
  beforeEach(async () => {
    bench = await openBench();
    publisher = new UsagePublisher(bench.context, bench.store, bench.announcer);
    await bench.changes.create(AGENT, CALLER, FIELDS);
  });
  afterEach(() => bench.cleanup());

  it('publishes totals, claims, and last the position that they reach', async () => {
    const keySha256 = 'b'.repeat(64);
    await bench.eventLog.append([
      message(check({ eventId: id(1), occurredAtMs: T, costMicros: 5, keySha256 })),
      message(check({ eventId: id(2), occurredAtMs: T + 1, denied: true })),
      message(check({ eventId: id(1), occurredAtMs: T, costMicros: 5, keySha256 })),
    ]);
    await followAll(bench);
    await publisher.publish();
    const facts = await usage(bench);
    expect(facts.get(`account:${ACCOUNT}`)).toMatchObject({ kind: 'account', period: '2026-03', actionsEver: 2 });
    expect(facts.get(`agent:${AGENT}`)).toMatchObject({ kind: 'agent', dayMicros: 5, offset: 3 });
    expect(facts.get(`claim:${ACCOUNT}:${keySha256}`)).toMatchObject({ eventId: id(1), answer: { status: 200 } });
    expect(facts.get('position')).toEqual({ kind: 'position', offsets: { 0: 4 } });
    const order = await readTopic<{ id: string }>(bench.eventLog, 'usage');
    expect(order.at(-1)?.id).toBe('position');
  });

  it('says what was given back to the counters, each outcome once, and again until they take it', async () => {
    const spent = check({ eventId: id(1), occurredAtMs: T, costMicros: 80 });
    const leaf = plainLeaf({
      ...{ type: 'action.outcome', eventId: id(2), refersTo: id(1), agentId: AGENT, outcome: 'skipped' },
      occurredAt: new Date(T + 1).toISOString(),
    });
    const outcome: EventEnvelope = {
      ...plainEnvelope(leaf, { accountId: ACCOUNT, cadenceSeconds: 300, apiKeyId: null, openings: {} }),
      givesBack: { costMicros: 80, occurredAt: spent.leaf.occurredAt },
    };
    await bench.eventLog.append([message(spent), message(spent), message(outcome), message(outcome)]);
    await followAll(bench);
    const refusing = { giveBack: () => Promise.reject(new CountersUnavailable('they are being rebuilt')) };
    await new UsagePublisher({ ...bench.context, counters: refusing }, bench.store, bench.announcer).publish();
    expect((await usage(bench)).get(`agent:${AGENT}`)).toMatchObject({ dayMicros: 80, dayBackMicros: 80 });
    expect((await usage(bench)).get('position')).toEqual({ kind: 'position', offsets: { 0: 5 } });
    await publisher.publish();
    const sums = { day: '2026-03-01', dayMicros: 80, month: '2026-03', monthMicros: 80 };
    expect(bench.counters.givenBack(AGENT)).toEqual(sums);
    expect(await bench.store.unpublished('', 10)).toEqual([]);
  });

  it('publishes order, facts and amounts, and returns reserved amounts to the counters, again until they take them', async () => {
    const amount = { units: 5, nanos: 0 };
    const limit = { key: 'k', windowSeconds: 60, amount, reserve: true };
    const facts = [{ id: 'secret', key: 'agent', expiresAtMs: T + 60_000 }];
    const allowed = { ...check({ eventId: id(1), occurredAtMs: T }), order: 1, ruleCounts: { facts, limits: [limit] } };
    const next = check({ eventId: id(2), occurredAtMs: T + 5 });
    const other = { ...next, order: 2, ruleCounts: { facts: [], limits: [limit] } };
    const denied = check({ eventId: id(3), occurredAtMs: T + 6, denied: true });
    const refused = { ...denied, countsAction: false, order: 3 };
    const leaf = plainLeaf({
      ...{ type: 'action.outcome', eventId: id(4), refersTo: id(1), agentId: AGENT, outcome: 'skipped' },
      occurredAt: new Date(T + 7).toISOString(),
    });
    const held = [{ key: 'k', order: 1, atMs: T, amount }];
    const outcome: EventEnvelope = {
      ...plainEnvelope(leaf, { accountId: ACCOUNT, cadenceSeconds: 300, apiKeyId: null, openings: {} }),
      givesBackHeld: held,
    };
    await bench.eventLog.append([allowed, other, refused].map(message));
    await followAll(bench);
    await publisher.publish();
    const at = T.toString(36);
    expect((await usage(bench)).get(`agent:${AGENT}`)).toMatchObject({
      order: 3,
      rules: { facts: [['secret', 'agent', T + 60_000]], windows: [['k', 60, T + 5, `${at},1,5,0 5,1`]] },
    });
    await bench.eventLog.append([message(outcome), message(outcome)]);
    const giveBackHeld = () => Promise.reject(new CountersUnavailable('they are being rebuilt'));
    const counters = { ...bench.counters, giveBackHeld };
    const early = parts({ store: bench.store, eventLog: bench.eventLog, counters }, bench.directory);
    const before = await bench.store.position(0);
    await expect(early.follower.handle(await rest(bench, before!))).rejects.toThrow('being rebuilt');
    expect(await bench.store.position(0)).toBe(before);
    expect(bench.counters.givenBackHeld(AGENT)).toEqual([]);
    await followAll(bench);
    // Counters remove an amount once.
    expect(bench.counters.givenBackHeld(AGENT)).toEqual([...held, ...held]);
    await publisher.publish();
    expect((await usage(bench)).get(`agent:${AGENT}`)).toMatchObject({
      order: 3,
      rules: { windows: [['k', 60, T + 5, `${(T + 5).toString(36)},2,5,0`]] },
    });
  });

  it('publishes nothing when nothing changed', async () => {
    await bench.eventLog.append([message(check({ eventId: id(1), occurredAtMs: T }))]);
    await followAll(bench);
    await publisher.publish();
    const before = (await readTopic(bench.eventLog, 'usage')).length;
    await publisher.publish();
    expect(await readTopic(bench.eventLog, 'usage')).toHaveLength(before);
  });

  it('freezes by a denial, publishes that in the name of the denial, and does so once', async () => {
    const occurredAtMs = await bench.counters.now();
    await bench.eventLog.append([message(check({ eventId: id(1), occurredAtMs, denied: true, freezesAgent: true }))]);
    const batch = await rest(bench, 0);
    await bench.follower.handle(batch);
    await bench.follower.handle(batch);
    await bench.announcer.announce();
    const agent = await bench.store.find(AGENT);
    expect(agent).toMatchObject({ revision: 2, frozenAtMs: occurredAtMs, facts: { status: 'frozen' } });
    const published = (await events(bench.eventLog)).filter(({ leaf }) => leaf.type === 'agent.frozen');
    expect(published).toHaveLength(1);
    expect(published[0]!.openings.action?.value).toEqual({ reason: null, by: { kind: 'system', id: id(1) } });
    expect(published[0]!.cadenceSeconds).toBe(300);
    expect(await bench.counters.isFrozen(AGENT)).toBe(true);
    expect(await bench.counters.version('agent', AGENT)).toBe(2);
    await followAll(bench);
    expect((await bench.store.find(AGENT))?.revision).toBe(2);
  });

  it('parks what the leaf predicate rejects and goes on', async () => {
    await bench.eventLog.append([
      { topic: 'agent-events', key: AGENT, value: '{"v":2}' },
      message(check({ eventId: id(1), occurredAtMs: T })),
      { topic: 'agent-events', key: AGENT, value: 'no json' },
    ]);
    await followAll(bench);
    const letters = await readTopic<DeadLetter>(bench.eventLog, 'dead-letters');
    expect(letters).toMatchObject([
      { offset: 1, consumer: 'policy', problem: 'v must be 1' },
      { offset: 3, consumer: 'policy' },
    ]);
    await publisher.publish();
    expect((await usage(bench)).get(`account:${ACCOUNT}`)).toMatchObject({ actionsEver: 1 });
  });

  it('does not park when the store fails: the batch comes again', async () => {
    await bench.eventLog.append([message(check({ eventId: id(1), occurredAtMs: T }))]);
    const store = { ...bench.store, follow: () => Promise.reject(new Error('disk')) } as unknown as PolicyStore;
    const broken = parts({ store, eventLog: bench.eventLog, counters: bench.counters }, bench.directory);
    await expect(broken.follower.handle(await rest(bench, 0))).rejects.toThrow('disk');
    expect(await readTopic(bench.eventLog, 'dead-letters')).toEqual([]);
    expect(await bench.store.position(0)).toBeNull();
  });

  it('publishes no position while a freeze below it waits for the log', async () => {
    await bench.eventLog.append([message(check({ eventId: id(1), occurredAtMs: T }))]);
    await bench.follower.handle(await rest(bench, 0));
    const stuck = { announce: () => Promise.reject(new Error('the log refuses')) };
    await expect(new UsagePublisher(bench.context, bench.store, stuck).publish()).rejects.toThrow('refuses');
    expect((await usage(bench)).has('position')).toBe(false);
    await publisher.publish();
    expect((await usage(bench)).has('position')).toBe(true);
  });

  it.each(['before', 'after'] as const)(
    'killed %s any line of following and publishing: every event is counted once',
    async (moment) => {
      let lines = 0;
      for (let n = 1; n < 60; n += 1) {
        const own = await openBench();
        await own.changes.create(AGENT, CALLER, FIELDS);
        const denial = { occurredAtMs: await own.counters.now(), denied: true, freezesAgent: true };
        await own.eventLog.append([
          message(check({ eventId: id(1), occurredAtMs: T, costMicros: 5 })),
          message(check({ eventId: id(2), ...denial })),
        ]);
        const kill = killAt(n, moment);
        const wrapped = {
          store: kill.wrap(own.store),
          eventLog: kill.wrap(own.eventLog),
          counters: kill.wrap(own.counters),
        };
        const run = parts(wrapped, own.directory);
        try {
          await run.follower.handle(await rest(own, 0));
          await run.announcer.announce();
          await new UsagePublisher(run.context, run.store, run.announcer).publish();
        } catch {
          // killed
        }
        const happened = kill.happened;
        await run.announcer.stop();
        await own.store.close();
        const store = await openSqlitePolicyStore(own.file);
        const again = { ...own, ...parts({ store, eventLog: own.eventLog, counters: own.counters }, own.directory) };
        await again.announcer.start();
        await followAll(again);
        await again.announcer.announce();
        await new UsagePublisher(again.context, again.store, again.announcer).publish();
        const facts = await usage(again);
        expect(facts.get(`account:${ACCOUNT}`)).toMatchObject({ actionsEver: 2 });
        expect(facts.get(`agent:${AGENT}`)).toMatchObject({ dayMicros: 5 });
        const freezes = (await events(own.eventLog)).filter(({ leaf }) => leaf.type === 'agent.frozen');
        expect(new Set(freezes.map(({ leaf }) => leaf.eventId)).size).toBe(1);
        expect(await own.counters.isFrozen(AGENT)).toBe(true);
        expect(await own.counters.version('agent', AGENT)).toBe(2);
        await again.store.close();
        await own.cleanup();
        if (!happened) break;
        lines = n;
      }
      expect(lines).toBeGreaterThan(8);
      expect(lines).toBeLessThan(59);
    },
  );
});
