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

  it('reports a frozen agent and observe mode, and uses the newest profile', async () => {
    const agentId = await newAgent(instance, session, { off_limits_actions: ['wire'], mode: 'observe' });
    const observed = await explain(agentId, { type: 'wire' });
    expect(observed).toMatchObject({ mode: 'observe', answer: { allowed: true }, coverage: 'governed' });
    expect(result(observed, 'off_limits_actions')).toBe('matched');
    await instance.request('PATCH', `/v1/agents/${agentId}/profile`, { headers: session, body: { mode: 'enforce' } });
    await instance.request('POST', `/v1/agents/${agentId}/freeze`, { headers: session, body: {} });
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
