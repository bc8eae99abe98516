import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { onEachProfile } from '../instance/profiles.js';

interface DryRun {
  readonly profileVersion: number;
  readonly countedBefore: { readonly since: string | null; readonly checks: number; readonly complete: boolean };
  readonly checks: number;
  readonly evaluated: number;
  readonly notEvaluated: Readonly<Record<string, number>>;
  readonly flips: { readonly toDenied: number; readonly toAllowed: number };
  readonly byRule: readonly {
    readonly rule: string;
    readonly toDenied: number;
    readonly toAllowed: number;
    readonly examples: readonly { readonly eventId: string; readonly action: { readonly url: string } }[];
  }[];
}

const CARD = '4111 1111 1111 1111';
const DAY_MS = 86_400_000;

onEachProfile('POST /v1/agents/{id}/profile/dry-run', (start) => {
  let instance: Instance;
  let session: { readonly authorization: string };

  beforeAll(async () => {
    instance = await start();
    session = await instance.session();
  }, 90_000);
  afterAll(() => instance.discard());

  const send = (agentId: string, body: object) =>
    instance.request('POST', `/v1/agents/${agentId}/profile/dry-run`, { headers: { ...session }, body });
  const range = () => ({
    from: new Date(Date.now() - DAY_MS).toISOString(),
    to: new Date(Date.now() + DAY_MS).toISOString(),
  });
  async function dryRun(agentId: string, profile: object): Promise<DryRun> {
    const answer = await send(agentId, { profile, ...range() });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json as DryRun;
  }

  it('lists the checks that the draft decides differently, by the same rules', async () => {
    const agentId = await newAgent(instance, session, {
      off_limits_actions: ['wire'],
      spending_limit: 10,
      rate_limit: { max: 100, per_seconds: 3600 },
    });
    const actions = [
      { type: 'wire' },
      { type: 'http_call', url: 'https://evil.example/x', estimatedCost: 6 },
      { type: 'tool_use', tool_name: 'buy', estimatedCost: 6 },
      { type: 'tool_use', tool_name: 'buy', estimatedCost: 4, metadata: { note: CARD } },
      { type: 'llm_response', payload: CARD },
    ];
    const ids: string[] = [];
    const before: unknown[] = [];
    for (const action of actions) {
      const checked = await instance.check(action, { agentId });
      ids.push(String(checked.headers['x-event-id']));
      before.push(checked.json);
    }
    const same = await dryRun(agentId, {});
    expect(same).toMatchObject({ checks: 5, evaluated: 5, flips: { toDenied: 0, toAllowed: 0 }, byRule: [] });

    const draft = { off_limits_actions: [], blocked_apis: ['evil.example'], spending_limit: 7 };
    const found = await dryRun(agentId, draft);
    expect(found).toMatchObject({
      profileVersion: 2,
      flips: { toDenied: 2, toAllowed: 2 },
      notEvaluated: { count: 0 },
    });
    expect(
      Object.fromEntries(found.byRule.map(({ rule, examples }) => [rule, examples.map(({ eventId }) => eventId)])),
    ).toEqual({
      'blocked_apis:evil.example': [ids[1]],
      'spending_limit:7': [ids[3]],
      'spending_limit:10': [ids[2]],
      'off_limits_actions:wire': [ids[0]],
    });
    expect(JSON.stringify(found)).not.toContain(CARD);
    expect(before.map((answer) => (answer as { allowed: boolean }).allowed)).toEqual([false, true, false, true, true]);

    const twin = await newAgent(instance, session, { rate_limit: { max: 100, per_seconds: 3600 }, ...draft });
    const rules: Record<string, string> = {};
    for (const [n, action] of actions.entries()) {
      const { json } = await instance.check(action, { agentId: twin });
      const { allowed, rule } = json as { allowed: boolean; rule?: string };
      expect([n, allowed]).toEqual([n, [true, false, true, false, true][n]]);
      rules[String(ids[n])] = rule ?? 'allowed';
    }
    for (const { rule, toDenied, examples } of found.byRule) {
      for (const { eventId } of examples) expect(rules[eventId]).toBe(toDenied > 0 ? rule : 'allowed');
    }
  });

  it('judges no payload that was not kept, and reports that', async () => {
    const agentId = await newAgent(instance, session, { store_payload: true });
    const draft = { output_rules: { blocked_pii: ['credit_card'] } };
    await instance.check({ type: 'llm_response', payload: CARD }, { agentId });
    expect((await dryRun(agentId, draft)).flips).toEqual({ toDenied: 1, toAllowed: 0 });
    await instance.request('PATCH', `/v1/agents/${agentId}/profile`, {
      headers: { ...session },
      body: { store_payload: false },
    });
    await instance.check({ type: 'llm_response', payload: CARD }, { agentId });
    expect(await dryRun(agentId, draft)).toMatchObject({
      checks: 2,
      evaluated: 1,
      notEvaluated: { count: 1, payloadNotKept: 1 },
      flips: { toDenied: 1, toAllowed: 0 },
    });
  });

  it('refuses a draft with the messages of a PATCH, and changes nothing', async () => {
    const agentId = await newAgent(instance, session, { off_limits_actions: ['wire'] });
    const profile = `/v1/agents/${agentId}/profile`;
    const wrong = [
      { blocked_apis: ['a*b'] },
      { allowed_apis: 'x' },
      { nothing: 1 },
      { spending_limit: -1 },
      { version: 1 },
      { agent_id: instance.bootstrap.agentId },
      [],
    ];
    for (const draft of wrong) {
      const patched = await instance.request('PATCH', profile, { headers: { ...session }, body: draft });
      const tried = await send(agentId, { profile: draft, ...range() });
      expect([tried.status, tried.json]).toEqual([patched.status, patched.json]);
      expect(tried.status).toBe('version' in draft ? 409 : 400);
    }
    const { from, to } = range();
    for (const body of [
      { profile: {}, from: to, to: from },
      { profile: {}, from },
      { profile: {}, from: '2026-02-30T00:00:00Z', to },
      { from, to },
      { profile: {}, from, to, more: 1 },
    ]) {
      expect([body, (await send(agentId, body)).status]).toEqual([body, 400]);
    }
    await dryRun(agentId, { off_limits_actions: [] });
    expect((await instance.request('GET', profile, { headers: { ...session } })).json).toMatchObject({
      version: 2,
      off_limits_actions: ['wire'],
    });
  });
});
