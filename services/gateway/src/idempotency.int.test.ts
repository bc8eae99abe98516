import { randomUUID } from 'node:crypto';
import { GatewayBench } from './gateway.test-setup.js';

describe('Idempotency-Key on POST /v1/check', () => {
  const bench = new GatewayBench();
  beforeAll(() => bench.open());
  afterAll(() => bench.close());

  const keyed = (key: string, action: unknown): ReturnType<GatewayBench['check']> =>
    bench.check(action, { headers: { 'idempotency-key': key } });
  const recorded = async (eventId: unknown): Promise<number> =>
    (await bench.events()).filter(({ leaf }) => leaf.eventId === eventId).length;

  it('gives the same answer and event, counts once and records once', async () => {
    const before = (await bench.gateway.counters.usage(bench.accountId)).actionsEver;
    const first = await keyed('k1', { type: 'a', metadata: { b: 1, a: 2 } });
    const again = await keyed('k1', { metadata: { a: 2, b: 1 }, type: 'a' });
    expect(again.text).toBe(first.text);
    expect(first.headers['x-idempotent-replay']).toBeUndefined();
    expect(again.headers['x-idempotent-replay']).toBe('true');
    expect(again.headers['x-event-id']).toBe(first.headers['x-event-id']);
    expect(again.headers['x-policy-coverage']).toBe(first.headers['x-policy-coverage']);
    expect(await recorded(first.headers['x-event-id'])).toBe(1);
    expect((await bench.gateway.counters.usage(bench.accountId)).actionsEver).toBe(before + 1);
  });

  it('refuses another body, and a key that is not visible characters', async () => {
    await keyed('k2', { type: 'a' });
    expect((await keyed('k2', { type: 'b' })).status).toBe(400);
    expect((await keyed('with space', { type: 'a' })).status).toBe(400);
    expect((await keyed('x'.repeat(256), { type: 'a' })).status).toBe(400);
    const twice = { 'idempotency-key': ['a', 'b'] };
    expect((await bench.check({ type: 'a' }, { headers: twice })).status).toBe(400);
  });

  it('compares bodies in canonical form (RFC 8785): the letter case of an agent id is part of it', async () => {
    const agentId = 'abcdef00-0000-4000-8000-00000000000a';
    await bench.putAgent(agentId, {});
    const sent = { headers: { 'idempotency-key': 'letters' } };
    const first = await bench.check({ type: 'a' }, sent, agentId.toUpperCase());
    expect(first.status).toBe(200);
    const other = await bench.check({ type: 'a' }, sent, agentId);
    expect([other.status, await recorded(first.headers['x-event-id'])]).toEqual([400, 1]);
    const again = await bench.check({ type: 'a' }, sent, agentId.toUpperCase());
    expect(again.headers['x-event-id']).toBe(first.headers['x-event-id']);
  });

  it('gives 100 parallel duplicates one event', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => keyed('twins', { type: 'a', estimatedCost: 1 })),
    );
    const ids = new Set(answers.map(({ headers }) => headers['x-event-id']));
    expect(ids.size).toBe(1);
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"allowed":true}']));
    expect(await recorded([...ids][0])).toBe(1);
  });

  it('does not replay a refusal', async () => {
    const agentId = randomUUID();
    await bench.putAgent(agentId, {}, { status: 'frozen' });
    const sent = { headers: { 'idempotency-key': 'frozen' } };
    const frozen = await bench.check({ type: 'a' }, sent, agentId);
    expect(frozen.status).toBe(403);
    const still = await bench.check({ type: 'a' }, sent, agentId);
    expect(still.headers['x-event-id']).not.toBe(frozen.headers['x-event-id']);
    await bench.putAgent(agentId, {});
    await bench.gateway.counters.unfreeze(agentId);
    expect((await bench.check({ type: 'a' }, sent, agentId)).body).toEqual({ allowed: true });
  });

  it('does not replay an allow once the agent is frozen or its profile changed: the repetition is a new check', async () => {
    const agentId = randomUUID();
    await bench.putAgent(agentId, {});
    const ask = (key: string): ReturnType<GatewayBench['check']> =>
      bench.check({ type: 'a' }, { headers: { 'idempotency-key': key } }, agentId);
    const first = await ask('m1');
    expect(first.body).toEqual({ allowed: true });
    await bench.putAgent(agentId, { off_limits_actions: ['a'] });
    const denied = await ask('m1');
    expect(denied.body).toMatchObject({ allowed: false, violation_type: 'off_limits_action' });
    expect(denied.headers['x-event-id']).not.toBe(first.headers['x-event-id']);
    expect([await recorded(first.headers['x-event-id']), await recorded(denied.headers['x-event-id'])]).toEqual([1, 1]);
    // A denial is replayed, also under another profile.
    await bench.putAgent(agentId, {});
    const again = await ask('m1');
    expect([again.text, again.headers['x-idempotent-replay']]).toEqual([denied.text, 'true']);
    const second = await ask('m2');
    await bench.gateway.counters.freeze(agentId, await bench.gateway.counters.now());
    const frozen = await ask('m2');
    expect([frozen.status, frozen.headers['x-idempotent-replay']]).toEqual([403, undefined]);
    expect(frozen.headers['x-event-id']).not.toBe(second.headers['x-event-id']);
  });

  it('shows in its metrics how many keys are remembered', async () => {
    const { answered } = await bench.gateway.counters.claims();
    expect(await bench.gateway.metrics.metrics()).toContain(
      `countersign_idempotency_keys{state="answered"} ${answered}\n`,
    );
    expect(answered).toBeGreaterThan(3);
  });

  it('answers the same after a restart, and continues to count', async () => {
    const first = await keyed('kept', { type: 'a', estimatedCost: 2 });
    const { actionsEver } = await bench.gateway.counters.usage(bench.accountId);
    await bench.stop();
    await bench.open();
    expect((await bench.gateway.counters.usage(bench.accountId)).actionsEver).toBe(actionsEver);
    const again = await keyed('kept', { type: 'a', estimatedCost: 2 });
    expect(again.headers['x-event-id']).toBe(first.headers['x-event-id']);
    expect(again.text).toBe(first.text);
    expect((await keyed('kept', { type: 'b' })).status).toBe(400);
    expect((await bench.gateway.counters.usage(bench.accountId)).actionsEver).toBe(actionsEver);
  });
});
