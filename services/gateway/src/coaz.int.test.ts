import { randomUUID } from 'node:crypto';
import type { BehaviorProfile, EvaluationParts } from '@countersign/contracts';
import { GatewayBench } from './gateway.test-setup.js';
import type { KnownKey } from './follow/read-model.js';

const NO_HEADERS = {
  ...{ principal: null, session: null, trace: null, approvalId: null, subjectToken: null, isSigned: false },
} as const;
const CLIENT = 'http://agentprovider.com/agent-app-id';

describe('evaluations of the tool-protocol binding', () => {
  const bench = new GatewayBench();
  let key: KnownKey;
  beforeAll(async () => {
    await bench.open();
    const rules = [
      { id: 'large', effect: 'deny', tools: ['refund'], when: 'has(args.amount) && args.amount > 100' },
      { id: 'who', effect: 'deny', when: "principal == 'mallory@example.com'" },
    ] as unknown as BehaviorProfile['rules'];
    await bench.putAgent(bench.agentId, { rules } as Partial<BehaviorProfile>, { oauthClientIds: [CLIENT] });
    key = await bench.gateway.evaluator.callerKey(bench.keyId);
  });
  afterAll(() => bench.close());

  const call = (change: Partial<EvaluationParts> = {}): EvaluationParts => ({
    subject: { type: 'identity', id: 'alice@example.com' },
    action: { name: 'tools/call' },
    resource: { type: 'tool', id: 'refund' },
    context: { agent: CLIENT },
    ...change,
  });
  const evaluate = (parts: EvaluationParts, by = key) => bench.gateway.evaluator.evaluate(parts, by, null, NO_HEADERS);
  const denied = { kind: 'denied', decision: { decision: false, context: { code: 'unknown_client' } } };

  it('are checks of the agent of the client, on behalf of the subject, whose rules read the arguments', async () => {
    const allowed = await evaluate(call({ context: { agent: CLIENT, arguments: { amount: 5 } } }));
    expect(allowed).toMatchObject({ kind: 'decided', decision: { decision: true } });
    const large = await evaluate(call({ context: { agent: CLIENT, arguments: { amount: 500 } } }));
    expect(large).toMatchObject({ decision: { decision: false, context: { rule: 'rules:large' } } });
    const mallory = await evaluate(call({ subject: { type: 'identity', id: 'mallory@example.com' } }));
    expect(mallory).toMatchObject({ decision: { decision: false, context: { rule: 'rules:who' } } });
    const recorded = await bench.events();
    expect(recorded.map(({ leaf }) => leaf.agentId)).toEqual([bench.agentId, bench.agentId, bench.agentId]);
    const { action, context, payload } = recorded[0]!.openings as unknown as Record<string, { value: unknown }>;
    expect(action!.value).toMatchObject({
      type: 'tools/call',
      tool_name: 'refund',
      metadata: { agent: CLIENT },
      subject: { type: 'identity', id: 'alice@example.com' },
    });
    expect(JSON.stringify(action)).not.toContain('amount');
    // Committed; the profile does not store payloads.
    expect(payload).toEqual({ salt: expect.any(String) });
    expect(JSON.stringify(context)).toContain('alice@example.com');
  });

  it('are denied and not recorded for a client of no active agent, and for one of an agent that the key is not for', async () => {
    const before = (await bench.events()).length;
    expect(await evaluate(call({ context: { agent: 'someone-else' } }))).toMatchObject(denied);
    expect(await evaluate(call({ context: { agent: randomUUID() } }))).toMatchObject(denied);
    const limited = { ...key, agents: new Set([randomUUID()]) };
    const answers = await Promise.all([
      evaluate(call(), limited),
      evaluate(call({ context: { agent: 'none' } }), limited),
    ]);
    // A limited key does not learn that there is such a client.
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject(denied);
    const over = randomUUID();
    await bench.putAgent(over, {}, { oauthClientIds: ['over'], status: 'inactive' });
    expect(await evaluate(call({ context: { agent: 'over' } }))).toMatchObject(denied);
    expect(await bench.events()).toHaveLength(before);
  });

  it('follow a change of the clients at once, and several of one request start in their order', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    await bench.putAgent(first, {}, { oauthClientIds: ['moves'] });
    expect(await evaluate(call({ context: { agent: 'moves' } }))).toMatchObject({ kind: 'decided' });
    await bench.putAgent(first, {}, { oauthClientIds: [] });
    await bench.putAgent(second, {}, { oauthClientIds: ['moves'] });
    const all = Array.from({ length: 20 }, (_, n) =>
      call({ context: { agent: 'moves' }, resource: { type: 'tool', id: `t${n}` } }),
    );
    const decisions = await bench.gateway.evaluator.evaluateAll(all, 'execute_all', key, NO_HEADERS);
    expect(decisions.every(({ decision }) => decision)).toBe(true);
    const last = (await bench.events()).slice(-20);
    expect(last.map(({ leaf }) => leaf.agentId)).toEqual(all.map(() => second));
    const tools = last.map(({ openings }) => (openings.action!.value as { tool_name: string }).tool_name);
    expect(tools).toEqual(all.map((_, n) => `t${n}`));
  });

  it('are recorded in their order, also with those that name no client', async () => {
    const agent = randomUUID();
    await bench.putAgent(agent, {}, { oauthClientIds: ['in-order', 'in-order-2'] });
    const subject = { type: 'agent', id: agent };
    const all = Array.from({ length: 12 }, (_, n) => ({
      ...call({ context: { agent: n % 3 === 1 ? 'in-order' : 'in-order-2' }, resource: { type: 'tool', id: `t${n}` } }),
      ...(n % 3 === 0 ? { subject } : {}),
    }));
    const decisions = await bench.gateway.evaluator.evaluateAll(all, 'execute_all', key, NO_HEADERS);
    expect(decisions.every(({ decision }) => decision)).toBe(true);
    const recorded = (await bench.events()).filter(({ leaf }) => leaf.agentId === agent);
    const tools = recorded.map(({ openings }) => (openings.action!.value as { tool_name: string }).tool_name);
    expect(tools).toEqual(all.map((_, n) => `t${n}`));
  });

  it('are refused as they were where the subject is the agent, or no client is named', async () => {
    const agent = { type: 'agent', id: bench.agentId };
    expect(await evaluate(call({ subject: agent, context: { agent: 'none' } }))).toMatchObject({ kind: 'decided' });
    expect(await evaluate(call({ context: {} }))).toMatchObject({ kind: 'refused', status: 400 });
    expect(await evaluate(call({ context: { agent: { id: randomUUID() } } }))).toMatchObject({
      kind: 'refused',
      status: 404,
    });
    expect(await evaluate(call({ context: { agent: { id: 'no-uuid' } } }))).toMatchObject({
      kind: 'refused',
      status: 400,
    });
  });
});
