import { randomUUID } from 'node:crypto';
import { canonicalBytes } from '@countersign/evidence';
import { LogRefused } from '@countersign/event-log';
import type { AgentFacts } from '@countersign/contracts';
import {
  ACCOUNT,
  AGENT,
  check,
  events,
  MOST_AGENTS,
  newest,
  openBench,
  OTHER_ACCOUNT,
} from '../policy.test-context.js';
import type { Bench } from '../policy.test-context.js';
import type { Caller } from './agent-changes.js';

const CALLER: Caller = { accountId: ACCOUNT, actor: { kind: 'user', id: 'u-1' }, apiKeyId: null };
const FIELDS = { name: 'Booking', type: null, purpose: null, version: null };

const longList = (bytes: number): string[] =>
  Array.from({ length: Math.floor(bytes / 500) }, (_, n) => `${n}`.padStart(497, 'x'));

describe('changes of agents, on a real log and a real store', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
    await bench.changes.create(AGENT, CALLER, FIELDS);
  });
  afterEach(() => bench.cleanup());

  it('publishes a new agent before it answers: record, event, version', async () => {
    expect((await newest<AgentFacts>(bench.eventLog, 'agents')).get(AGENT)).toMatchObject({
      version: 1,
      value: { accountId: ACCOUNT, name: 'Booking', profile: { version: 1 } },
    });
    expect((await events(bench.eventLog)).map(({ leaf }) => leaf.type)).toEqual(['agent.created']);
    expect(await bench.counters.version('agent', AGENT)).toBe(1);
  });

  it('knows nothing of the agents of another account: 404, never 403', async () => {
    const other = { ...CALLER, accountId: OTHER_ACCOUNT };
    await expect(bench.changes.find(OTHER_ACCOUNT, AGENT)).rejects.toMatchObject({ status: 404 });
    await expect(bench.changes.freeze(other, AGENT, null)).rejects.toMatchObject({ status: 404 });
    await expect(bench.changes.update(other, AGENT, { name: 'x' })).rejects.toMatchObject({ status: 404 });
    await expect(bench.changes.changeProfile(other, AGENT, {})).rejects.toMatchObject({ status: 404 });
    expect(await events(bench.eventLog)).toHaveLength(1);
  });

  it('loses no change when many come at once', async () => {
    const hosts = Array.from({ length: 12 }, (_, i) => `h${i}.example.com`);
    await Promise.all([
      ...hosts.map((host) => bench.changes.applyPackage(CALLER, AGENT, { blocked_apis: [host] })),
      bench.changes.update(CALLER, AGENT, { purpose: 'flights' }),
    ]);
    const { facts, revision } = await bench.changes.find(ACCOUNT, AGENT);
    expect([...facts.profile.blocked_apis].sort()).toEqual([...hosts].sort());
    expect(facts.profile.version).toBe(13);
    expect(facts.purpose).toBe('flights');
    expect(revision).toBe(14);
    expect(await events(bench.eventLog)).toHaveLength(14);
    expect(await bench.counters.version('agent', AGENT)).toBe(14);
  });

  it('gives an account as many agents as its plan has, inactive ones included, and others theirs', async () => {
    await bench.changes.deactivate(CALLER, AGENT, null);
    const create = (): Promise<unknown> => bench.changes.create(randomUUID(), CALLER, FIELDS);
    const ends = await Promise.allSettled(Array.from({ length: MOST_AGENTS + 2 }, create));
    const refused = ends.filter((end) => end.status === 'rejected');
    expect(refused).toHaveLength(3);
    expect(refused[0]!.reason).toMatchObject({
      status: 409,
      message: expect.stringContaining(`${MOST_AGENTS} agents`),
    });
    await bench.changes.create(randomUUID(), { ...CALLER, accountId: OTHER_ACCOUNT }, FIELDS);
    // Asked for again, one that exists is given.
    expect((await bench.changes.create(AGENT, CALLER, FIELDS)).id).toBe(AGENT);
    expect(await bench.context.metrics.metrics()).toContain(
      'countersign_agent_changes_refused_total{bound="agents"} 3',
    );
  });

  it('refuses a profile above 64 KiB; one from before may become smaller, and not larger', async () => {
    const large = { allowed_apis: longList(40_000) };
    await bench.changes.changeProfile(CALLER, AGENT, large);
    const larger = bench.changes.changeProfile(CALLER, AGENT, { blocked_apis: longList(30_000) });
    await expect(larger).rejects.toMatchObject({ status: 413, message: expect.stringContaining('65536') });
    await expect(bench.changes.applyPackage(CALLER, AGENT, { blocked_apis: longList(30_000) })).rejects.toMatchObject({
      status: 413,
    });
    const { facts } = await bench.changes.find(ACCOUNT, AGENT);
    expect(canonicalBytes(facts.profile).length).toBeLessThan(65_536);
    expect(facts.profile.version).toBe(2);
  });

  it('refuses changes beyond so many a minute, by their size, to one account alone; freezing never', async () => {
    const patch = (n: number): Promise<unknown> =>
      bench.changes.changeProfile(CALLER, AGENT, { allowed_apis: [`${n}`, ...longList(60_000)] });
    let changed = 0;
    const refusal: unknown = await (async () => {
      for (; changed < 40; changed += 1) await patch(changed);
      return null;
    })().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 429, headers: { 'Retry-After': expect.stringMatching(/^[1-9]$/) } });
    expect(changed).toBeGreaterThan(10);
    await bench.changes.freeze(CALLER, AGENT, null);
    await bench.changes.create(randomUUID(), { ...CALLER, accountId: OTHER_ACCOUNT }, FIELDS);
  });

  it('lets one of two PATCHes that name the same version through', async () => {
    const tries = await Promise.allSettled([
      bench.changes.changeProfile(CALLER, AGENT, { version: 1, mode: 'observe' }),
      bench.changes.changeProfile(CALLER, AGENT, { version: 1, spending_limit: 5 }),
    ]);
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await bench.changes.find(ACCOUNT, AGENT)).facts.profile.version).toBe(2);
  });

  it('registers one of two agents that bring one transaction, whosever they are', async () => {
    const other = { accountId: OTHER_ACCOUNT, actor: CALLER.actor, apiKeyId: null };
    const otherId = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
    await bench.changes.create(otherId, other, { name: 'Other', type: null, purpose: null, version: null });
    const registration = { walletAddress: 'wallet', transactionSignature: 'transaction' };
    const ends = await Promise.allSettled([
      bench.changes.register(CALLER, AGENT, registration),
      bench.changes.register(other, otherId, registration),
    ]);
    const [refused] = ends.filter((end) => end.status === 'rejected');
    expect(refused?.reason).toMatchObject({ status: 409, message: expect.stringContaining('another agent') });
    const published = (await events(bench.eventLog)).filter(({ leaf }) => leaf.type === 'agent.registered');
    expect(published).toHaveLength(1);
    expect(published[0]?.openings.action?.value).toEqual({ ...registration, by: { kind: 'user', id: 'u-1' } });
  });

  it('registers an agent once, whatever it is asked at once', async () => {
    const ends = await Promise.allSettled(
      ['a', 'b', 'a'].map((transactionSignature) =>
        bench.changes.register(CALLER, AGENT, { walletAddress: 'wallet', transactionSignature }),
      ),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await bench.changes.find(ACCOUNT, AGENT)).revision).toBe(2);
    expect(await bench.counters.version('agent', AGENT)).toBe(2);
  });

  it('freezes and unfreezes with the flag of the counters, once each', async () => {
    await bench.changes.freeze(CALLER, AGENT, 'odd');
    await bench.changes.freeze(CALLER, AGENT, 'odd');
    expect(await bench.counters.isFrozen(AGENT)).toBe(true);
    const { facts } = await bench.changes.unfreeze(CALLER, AGENT, null);
    await bench.changes.unfreeze(CALLER, AGENT, null);
    expect(facts).toMatchObject({ status: 'active', unfrozenAtMs: expect.any(Number) });
    expect(await bench.counters.isFrozen(AGENT)).toBe(false);
    expect((await events(bench.eventLog)).map(({ leaf }) => leaf.type)).toEqual([
      'agent.created',
      'agent.frozen',
      'agent.unfrozen',
    ]);
  });

  it('mends a flag that is not as the record says when asked to freeze again', async () => {
    await bench.changes.freeze(CALLER, AGENT, null);
    bench.counters.forgetFreeze(AGENT);
    expect(await bench.counters.isFrozen(AGENT)).toBe(false);
    await bench.changes.freeze(CALLER, AGENT, null);
    expect(await bench.counters.isFrozen(AGENT)).toBe(true);
  });

  it('unfreezes for good what a gateway froze and the log has yet to tell', async () => {
    const at = await bench.counters.now();
    await bench.counters.freeze(AGENT, at);
    await bench.changes.unfreeze(CALLER, AGENT, null);
    const denial = check({
      eventId: '019c0000-0000-7000-8000-000000000001',
      occurredAtMs: at,
      denied: true,
      freezesAgent: true,
    });
    const record = { topic: 'agent-events', partition: 0, offset: 99, key: AGENT, appendedAtMs: at } as const;
    const value = Buffer.from(JSON.stringify(denial));
    await bench.follower.handle({
      topic: 'agent-events',
      partition: 0,
      endOffset: 100,
      records: [{ ...record, value }],
    });
    expect((await bench.changes.find(ACCOUNT, AGENT)).facts.status).toBe('active');
    expect(await bench.counters.isFrozen(AGENT)).toBe(false);
  });

  it('refuses changes of an inactive agent with 409, and takes a second deactivation', async () => {
    await bench.changes.deactivate(CALLER, AGENT, 'over');
    expect((await bench.changes.deactivate(CALLER, AGENT, 'over')).facts.status).toBe('inactive');
    await expect(bench.changes.changeProfile(CALLER, AGENT, {})).rejects.toMatchObject({ status: 409 });
    await expect(bench.changes.unfreeze(CALLER, AGENT, null)).rejects.toMatchObject({ status: 409 });
  });

  it('answers 503 when the log refuses, and 200 to a repetition only when the change is published', async () => {
    const append = bench.eventLog.append.bind(bench.eventLog);
    bench.eventLog.append = () => Promise.reject(new LogRefused('full'));
    const patch = { mode: 'observe' } as const;
    await expect(bench.changes.changeProfile(CALLER, AGENT, patch)).rejects.toMatchObject({ status: 503 });
    await expect(bench.changes.changeProfile(CALLER, AGENT, patch)).rejects.toMatchObject({ status: 503 });
    expect(await bench.counters.version('agent', AGENT)).toBe(1);
    expect(bench.announcer.problem()).not.toBeNull();
    bench.eventLog.append = append;
    await bench.changes.changeProfile(CALLER, AGENT, patch);
    expect(await bench.counters.version('agent', AGENT)).toBe(2);
    expect(await events(bench.eventLog)).toHaveLength(2);
    expect(bench.announcer.problem()).toBeNull();
  });

  it('answers 503 when the counters cannot be reached', async () => {
    bench.counters.now = () => Promise.reject(new Error('gone'));
    await expect(bench.changes.update(CALLER, AGENT, { name: 'x' })).rejects.toMatchObject({ status: 503 });
  });
});
