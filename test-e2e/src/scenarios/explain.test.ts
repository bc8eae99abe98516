import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { onEachProfile } from '../instance/profiles.js';

interface Trace {
  readonly name: string;
  readonly result: 'matched' | 'passed' | 'not_applicable';
  readonly because?: string;
  readonly violation?: { readonly rule: string; readonly violation_type: string };
}
interface Explanation {
  readonly agentId: string;
  readonly agentStatus: string;
  readonly profileVersion: number;
  readonly mode: string;
  readonly coverage: string;
  readonly answer: object;
  readonly rules: readonly Trace[];
  readonly facts: readonly { readonly id: string; readonly set: boolean | null; readonly until: string | null }[];
  readonly limits: readonly object[];
}

const CARD = '4111 1111 1111 1111';

onEachProfile('POST /v1/agents/{id}/explain', (start) => {
  let instance: Instance;
  let session: { readonly authorization: string };

  beforeAll(async () => {
    instance = await start();
    session = await instance.session();
  }, 90_000);
  afterAll(() => instance.discard());

  const ask = (agentId: string, body: object, headers: object = session) =>
    instance.request('POST', `/v1/agents/${agentId}/explain`, { headers: { ...headers }, body });
  async function explain(agentId: string, action: object): Promise<Explanation> {
    const answer = await ask(agentId, { agentId, action });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json as Explanation;
  }
  const result = ({ rules }: Explanation, name: string) => rules.find((one) => one.name === name)?.result;

  it('returns the result of a check, and the trace of every rule', async () => {
    const agentId = await newAgent(instance, session, {
      blocked_apis: ['evil.example'],
      output_rules: { blocked_pii: ['credit_card'], block_secrets: true, blocked_topics: ['insider trading'] },
      spending_limit: 10,
      rate_limit: { max: 2, per_seconds: 3600 },
    });
    const actions = [
      { type: 'http_call', url: 'https://EVIL.example./x', payload: CARD, estimatedCost: 11 },
      { type: 'llm_response', payload: { text: ['ｉｎｓｉｄｅｒ\u200b  TRADING'] } },
      { type: 'llm_response', payload: { text: CARD } },
      { type: 'tool_use', tool_name: 'crm.lookup', estimatedCost: 10.01 },
      { type: 'tool_use', tool_name: 'crm.lookup', estimatedCost: 10, payload: 'fine' },
      { type: 'tool_use', tool_name: 'crm.lookup' },
      { type: 'tool_use', tool_name: 'crm.lookup' },
      { type: 'tool_use', tool_name: 'crm.lookup', estimatedCost: 0.5 },
    ];
    for (const action of actions) {
      const explained = await explain(agentId, action);
      const checked = await instance.check(action, { agentId });
      expect(explained).toMatchObject({ agentId, agentStatus: 'active', profileVersion: 2, mode: 'enforce' });
      expect([action, explained.answer]).toEqual([action, checked.json]);
      expect(explained.coverage).toBe(checked.headers['x-policy-coverage']);
      expect(explained.rules).toHaveLength(13);
      expect(JSON.stringify(explained)).not.toContain(CARD);
    }
  });

  it('evaluates each rule separately', async () => {
    const agentId = await newAgent(instance, session, {
      off_limits_actions: ['delete_*'],
      blocked_apis: ['evil.example'],
      blocked_data_scopes: ['pii.*'],
      output_rules: { blocked_pii: ['email', 'credit_card'], max_length: 100 },
      spending_limit: 1,
    });
    const explained = await explain(agentId, {
      type: 'delete_user',
      url: 'http://user@evil.example:8080/',
      payload: CARD,
      estimatedCost: 2,
    });
    expect(explained.answer).toMatchObject({ allowed: false, rule: 'off_limits_actions:delete_*' });
    expect(result(explained, 'off_limits_actions')).toBe('matched');
    expect(result(explained, 'blocked_apis')).toBe('matched');
    expect(result(explained, 'allowed_apis')).toBe('not_applicable');
    expect(result(explained, 'blocked_data_scopes')).toBe('not_applicable');
    expect(result(explained, 'output_rules.blocked_pii')).toBe('matched');
    expect(result(explained, 'output_rules.max_length')).toBe('passed');
    expect(result(explained, 'spending_limit')).toBe('matched');
    for (const { result: said, because, violation } of explained.rules) {
      expect(typeof because === 'string').toBe(said === 'not_applicable');
      expect(violation === undefined).toBe(said !== 'matched');
    }
  });

  it('records and counts nothing', async () => {
    const agentId = await newAgent(instance, session, { rate_limit: { max: 1, per_seconds: 3600 }, spending_limit: 1 });
    const action = { type: 'tool_use', estimatedCost: 1 };
    for (let n = 0; n < 5; n++) expect((await explain(agentId, action)).answer).toEqual({ allowed: true });
    expect((await instance.check(action, { agentId })).json).toEqual({ allowed: true });
    expect((await explain(agentId, action)).answer).toMatchObject({ allowed: false });
    const listed = async (): Promise<number> => {
      const path = `/v1/events?agentId=${agentId}&type=action.checked`;
      return ((await instance.request('GET', path, { headers: session })).json as { total: number }).total;
    };
    const until = Date.now() + 30_000;
    while ((await listed()) === 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await listed()).toBe(1);
  });

  it('judges by the facts and balances of now, as the next check is, and counts nothing', async () => {
    const agentId = await newAgent(instance, session, {
      rules: [{ id: 'no-exfil', types: ['http_call'], when: 'facts.secret_read', effect: 'deny' }],
      facts: [
        { id: 'secret_read', tools: ['read'], set_when: "args.path.startsWith('/secrets/')", ttl_seconds: 3600 },
        { id: 'elsewhere', tools: ['other'], set_when: 'true', scope: 'agent' },
      ],
      limits: [
        { id: 'refunds', tools: ['refund'], key: 'args.customer', max_count: 2, window_seconds: 3600 },
        { id: 'spend', tools: ['refund'], sum: 'args.amount', max_sum: '10.5', window_seconds: 3600 },
      ],
    });
    const tool = (name: string, session: string, payload: object) => {
      return { type: 'tool_use', tool_name: name, payload, metadata: { session } };
    };
    const send = (session: string) => ({ type: 'http_call', url: 'https://a.example/', metadata: { session } });
    const refund = (customer: string, amount: number) => tool('refund', 's1', { customer, amount });
    const steps = [
      send('s1'),
      tool('read', 's1', { path: '/secrets/key' }),
      send('s1'),
      send('s2'),
      refund('c1', 4.25),
      refund('c1', 4),
      refund('c1', 1),
      refund('c2', 2.5),
      refund('c2', 2.25),
    ];
    for (const action of steps) {
      await explain(agentId, action);
      const explained = await explain(agentId, action);
      const checked = await instance.check(action, { agentId });
      expect([action, explained.answer]).toEqual([action, checked.json]);
    }
    const exceeded = await explain(agentId, refund('c1', 0.5));
    expect(exceeded.limits).toEqual([
      {
        ...{ id: 'refunds', unit: 'count', window_seconds: 3600, limit: '2', used: '2', needs: '1', remaining: '0' },
        ...{ fits: false, decreases_at: expect.any(String) },
      },
      {
        ...{ id: 'spend', unit: 'sum', window_seconds: 3600, limit: '10.5', used: '10.5', needs: '0.5' },
        ...{ remaining: '0', fits: false, decreases_at: expect.any(String) },
      },
    ]);
    expect(exceeded.facts).toEqual([
      { id: 'secret_read', scope: 'session', set: true, until: expect.any(String) },
      { id: 'elsewhere', scope: 'agent', set: false, until: null },
    ]);
    expect(exceeded.rules.find(({ name }) => name === 'limits:refunds')).toMatchObject({
      result: 'matched',
      clauses: [{ text: 'counted + 1 <= 2', result: false }],
      violation: { budget: { unit: 'count', consumed: '2', remaining: '0' } },
    });
    expect((await explain(agentId, send('s2'))).facts[0]).toMatchObject({ set: false, until: null });
    expect((await explain(agentId, { type: 'http_call', url: 'https://a.example/' })).facts[0]!.set).toBe(true);
  });

  it('reports a frozen agent and observe mode, and uses the newest profile', async () => {
    const agentId = await newAgent(instance, session, { off_limits_actions: ['wire'], mode: 'observe' });
    const observed = await explain(agentId, { type: 'wire' });
    expect(observed).toMatchObject({ mode: 'observe', answer: { allowed: true }, coverage: 'governed' });
    expect(result(observed, 'off_limits_actions')).toBe('matched');
    for (const [method, path, body] of [
      ['PATCH', 'profile', { mode: 'enforce' }],
      ['POST', 'freeze', {}],
    ] as const) {
      const changed = await instance.request(method, `/v1/agents/${agentId}/${path}`, { headers: session, body });
      expect(changed.status).toBe(200);
    }
    expect(await explain(agentId, { type: 'wire' })).toMatchObject({
      agentStatus: 'frozen',
      profileVersion: 3,
      answer: { allowed: false, violation_type: 'off_limits_action' },
    });
  });

  it('accepts a session and the body of a check, and nothing else', async () => {
    const agentId = await newAgent(instance, session, { off_limits_actions: ['wire'] });
    const action = { type: 'wire' };
    const key = { 'x-service-key': instance.bootstrap.apiKey, authorization: `Bearer ${instance.bootstrap.apiKey}` };
    expect((await ask(agentId, { agentId, action }, key)).status).toBe(401);
    expect((await ask(agentId, { agentId, action }, {})).status).toBe(401);
    for (const body of [{ action }, { agentId }, { agentId, action: {} }, { agentId, action, actionType: 'wire' }]) {
      expect([body, (await ask(agentId, body)).status]).toEqual([body, 400]);
    }
    expect((await ask(agentId, { agentId: instance.bootstrap.agentId, action })).status).toBe(400);
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await ask(unknown, { agentId: unknown, action })).status).toBe(404);
    expect((await ask(agentId, { agentId: agentId.toUpperCase(), action })).status).toBe(200);
  });
});
