import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { fsckClean } from '../instance/fsck.js';
import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually, NoAnswer, type Answer } from '../instance/request.js';

onEachProfile('POST /v1/check', (start, profile) => {
  let instance: Instance;
  let session: { readonly authorization: string };

  beforeAll(async () => {
    instance = await start();
    session = await instance.session();
  }, 90_000);
  afterAll(() => instance.discard());

  it('allows with exactly {allowed:true}, an event id and the coverage', async () => {
    const answer = await instance.check({ type: 'http_call', url: 'https://api.example.com/v1/x' });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('{"allowed":true}');
    expect(answer.headers['x-event-id']).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(answer.headers['x-policy-coverage']).toBe('none');
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  });

  it('takes the key as a bearer token, and the agent id in upper case', async () => {
    const answer = await instance.request('POST', '/v1/check', {
      headers: { authorization: `Bearer ${instance.bootstrap.apiKey}` },
      body: { agentId: instance.bootstrap.agentId.toUpperCase(), action: { type: 'tool_use' } },
    });
    expect(answer.status).toBe(200);
  });

  it.each([
    [
      'blocked_apis',
      { blocked_apis: ['*.example.com'] },
      { type: 'http_call', url: 'https://API.example.com./x' },
      'api_not_allowed',
      'P2',
    ],
    [
      'allowed_apis',
      { allowed_apis: ['api.example.com'] },
      { type: 'http_call', url: 'https://other.example/' },
      'api_not_allowed',
      'P2',
    ],
    [
      'a tool that is not on the list',
      { allowed_apis: ['crm.*'] },
      { type: 'tool_use', tool_name: 'mail.send' },
      'api_not_allowed',
      'P2',
    ],
    [
      'off_limits_actions',
      { off_limits_actions: ['delete_*'] },
      { type: 'tool_use', toolName: 'delete_user' },
      'off_limits_action',
      'P1',
    ],
    [
      'spending_limit',
      { spending_limit: 10 },
      { type: 'tool_use', estimatedCost: 10.000001 },
      'spending_limit_exceeded',
      'P2',
    ],
  ])('denies by %s with 200, reason, severity and rule', async (_rule, profile, action, type, severity) => {
    const agentId = await newAgent(instance, session, profile);
    const answer = await instance.check(action, { agentId });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ allowed: false, violation_type: type, severity });
    const { reason, rule } = answer.json as { reason: string; rule: string };
    expect(reason.length).toBeGreaterThan(10);
    expect(rule).toContain(':');
    expect(answer.headers['x-policy-coverage']).toBe('governed');
  });

  it('adds up money exactly: ten dimes are a dollar', async () => {
    const agentId = await newAgent(instance, session, { spending_limit: 1 });
    for (let i = 0; i < 10; i += 1) {
      expect((await instance.check({ type: 'tool_use', estimatedCost: 0.1 }, { agentId })).text).toBe(
        '{"allowed":true}',
      );
    }
    const answer = await instance.check({ type: 'tool_use', estimatedCost: 0.000001 }, { agentId });
    expect(answer.json).toMatchObject({ allowed: false, violation_type: 'spending_limit_exceeded' });
    // Denied actions did not count: a free action still passes.
    expect((await instance.check({ type: 'tool_use', estimatedCost: 0 }, { agentId })).text).toBe('{"allowed":true}');
  });

  it('spends a limit once under concurrency', async () => {
    const agentId = await newAgent(instance, session, { spending_limit: 5 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => instance.check({ type: 'tool_use', estimatedCost: 1 }, { agentId })),
    );
    expect(answers.filter(({ text }) => text === '{"allowed":true}')).toHaveLength(5);
  });

  it('in observe mode allows, and records the violation', async () => {
    const agentId = await newAgent(instance, session, {
      mode: 'observe',
      off_limits_actions: ['wire'],
      freeze_on_violation: true,
    });
    const answer = await instance.check({ type: 'wire' }, { agentId });
    expect(answer.text).toBe('{"allowed":true}');
    expect(answer.headers['x-would-deny']).toBe('off_limits_action; rule=off_limits_actions:wire');
    expect((await instance.check({ type: 'wire' }, { agentId })).status).toBe(200);
  });

  it('links to the documentation at its root, and explains a trailing slash', async () => {
    const root = await instance.request('GET', '/');
    expect([root.status, root.json]).toMatchObject([
      200,
      { name: 'Countersign', check: expect.stringMatching(/\/v1\/check$/) },
    ]);
    for (const [method, path] of [
      ['POST', '/v1/check/'],
      ['GET', '/v1/agents/'],
    ] as const) {
      const answer = await instance.request(method, path);
      expect([answer.status, answer.json]).toEqual([
        404,
        { error: 'there is no such route: leave out the slash at its end' },
      ]);
    }
  });

  it('freezes at the violation, before it answers', async () => {
    const agentId = await newAgent(instance, session, { off_limits_actions: ['wire'], freeze_on_violation: true });
    expect((await instance.check({ type: 'wire' }, { agentId })).json).toMatchObject({ allowed: false });
    const frozen = await instance.check({ type: 'tool_use' }, { agentId });
    expect(frozen.status).toBe(403);
    expect(frozen.json).toEqual({ allowed: false, reason: expect.any(String), severity: 'P1', code: 'agent_frozen' });
    expect(frozen.headers['x-event-id']).toBeDefined();
    const unfrozen = await instance.request('POST', `/v1/agents/${agentId}/unfreeze`, { headers: session });
    expect(unfrozen.status).toBe(200);
    expect((await instance.check({ type: 'tool_use' }, { agentId })).status).toBe(200);
  });

  it('applies a freeze, a profile and a deactivation to the next check', async () => {
    for (let round = 0; round < 10; round += 1) {
      const agentId = await newAgent(instance, session);
      expect((await instance.check({ type: 'a' }, { agentId })).text).toBe('{"allowed":true}');
      const changed = await instance.request('PATCH', `/v1/agents/${agentId}/profile`, {
        headers: session,
        body: { off_limits_actions: ['a'] },
      });
      expect(changed.status).toBe(200);
      expect((await instance.check({ type: 'a' }, { agentId })).json).toMatchObject({
        violation_type: 'off_limits_action',
      });
      await instance.request('POST', `/v1/agents/${agentId}/freeze`, { headers: session, body: { reason: 'test' } });
      expect((await instance.check({ type: 'b' }, { agentId })).status).toBe(403);
      await instance.request('POST', `/v1/agents/${agentId}/deactivate`, { headers: session });
      expect((await instance.check({ type: 'b' }, { agentId })).status).toBe(404);
    }
  });

  it.each([
    ['no agentId', { action: { type: 'x' } }],
    ['an agentId that is no UUID', { agentId: 'agent-1', action: { type: 'x' } }],
    ['no action', { agentId: randomUUID() }],
    ['no type', { agentId: randomUUID(), action: {} }],
    ['an empty type', { agentId: randomUUID(), action: { type: '' } }],
    ['actionType at the top', { agentId: randomUUID(), actionType: 'x', action: { type: 'x' } }],
    ['an unknown member at the top', { agentId: randomUUID(), action: { type: 'x' }, extra: 1 }],
    ['a url that is null', { agentId: randomUUID(), action: { type: 'x', url: null } }],
    ['metadata that is a list', { agentId: randomUUID(), action: { type: 'x', metadata: [] } }],
    ['a negative cost', { agentId: randomUUID(), action: { type: 'x', estimatedCost: -1 } }],
    ['a cost as text', { agentId: randomUUID(), action: { type: 'x', estimatedCost: '1' } }],
    ['a list', []],
  ])('refuses %s with 400 {error}', async (_what, body) => {
    const answer = await instance.request('POST', '/v1/check', {
      headers: { 'x-service-key': instance.bootstrap.apiKey },
      body,
    });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json as object)).toEqual(['error']);
    expect(answer.headers['x-event-id']).toBeUndefined();
  });

  it('answers 401 before 400, 400 before 404', async () => {
    const wrong = await instance.request('POST', '/v1/check', { headers: { 'x-service-key': 'x' }, raw: '{' });
    expect(wrong.status).toBe(401);
    const body = await instance.request('POST', '/v1/check', {
      headers: { 'x-service-key': instance.bootstrap.apiKey },
      raw: '{',
    });
    expect(body.status).toBe(400);
    const unknown = await instance.check({ type: 'x' }, { agentId: randomUUID() });
    expect(unknown.status).toBe(404);
    expect(Object.keys(unknown.json as object)).toEqual(['error']);
  });

  it.each([
    ['none', {}],
    ['a session token', 'session'],
    ['a wrong x-service-key with a right bearer', 'mixed'],
    ['a mistyped key', 'typo'],
  ] as const)('answers 401 to %s', async (_what, kind) => {
    const { apiKey } = instance.bootstrap;
    const typo = apiKey.slice(0, -1) + (apiKey.endsWith('0') ? '1' : '0');
    const headers =
      {
        session,
        mixed: { 'x-service-key': 'nonsense', authorization: `Bearer ${apiKey}` },
        typo: { 'x-service-key': typo },
      }[kind as string] ?? {};
    const answer = await instance.request('POST', '/v1/check', {
      headers,
      body: { agentId: instance.bootstrap.agentId, action: { type: 'x' } },
    });
    expect(answer.status).toBe(401);
    expect(Object.keys(answer.json as object)).toEqual(['error']);
  });

  it('answers 401 to a header that is sent twice', async () => {
    const { apiKey, agentId } = instance.bootstrap;
    const answer = await instance.request('POST', '/v1/check', {
      headers: { 'x-service-key': [apiKey, apiKey] },
      body: { agentId, action: { type: 'x' } },
    });
    expect(answer.status).toBe(401);
  });

  it('returns a skipped action to the spending limit, and a failed one not', async () => {
    const agentId = await newAgent(instance, session, { spending_limit: 100, spending_window: 'day' });
    const pay = () => instance.check({ type: 'pay', estimatedCost: 80 }, { agentId });
    const report = async (check: Answer, outcome: string): Promise<string> => {
      const { status, text, isRepetition } = await instance.request('POST', '/v1/mcp/log', {
        headers: { 'x-service-key': instance.bootstrap.apiKey },
        body: { agentId, eventId: String(check.headers['x-event-id']), outcome },
      });
      return status === 201 || (status === 409 && isRepetition) ? 'recorded' : `${status} ${text}`;
    };
    const first = await pay();
    expect(first.json).toEqual({ allowed: true });
    expect((await pay()).json).toMatchObject({ allowed: false, violation_type: 'spending_limit_exceeded' });
    expect(await report(first, 'skipped')).toBe('recorded');
    const second = await eventually('the budget', 30, async () => {
      const answer = await pay();
      return (answer.json as { allowed: boolean }).allowed ? answer : null;
    });
    expect(await report(first, 'skipped')).toMatch(/^409 /);
    expect(await report(second, 'failed')).toBe('recorded');
    await setTimeout(2_500);
    expect((await pay()).json).toMatchObject({ allowed: false, violation_type: 'spending_limit_exceeded' });
  });

  it('repeats an answer for an idempotency key, and refuses it with another body', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const agentId = await newAgent(instance, session, { spending_limit: 5 });
    const first = await instance.check({ type: 'pay', estimatedCost: 5 }, { agentId, headers });
    const again = await instance.check({ type: 'pay', estimatedCost: 5 }, { agentId, headers });
    expect(again.text).toBe(first.text);
    expect(again.headers['x-event-id']).toBe(first.headers['x-event-id']);
    expect((await instance.check({ type: 'pay', estimatedCost: 4 }, { agentId, headers })).status).toBe(400);
    expect((await instance.check({ type: 'pay', estimatedCost: 1 }, { agentId })).json).toMatchObject({
      allowed: false,
    });
  });

  it('creates one event for a hundred duplicates', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const once = (): Promise<Answer> => instance.check({ type: 'pay' }, { headers });
    // A caller without an answer retries, like every client that sends a key: the network may drop a connection.
    const again = (error: unknown): Promise<Answer> => {
      if (error instanceof NoAnswer && error.code === 'ECONNRESET') return once();
      throw error;
    };
    const twins = await Promise.all(Array.from({ length: 100 }, () => once().catch(again)));
    expect(new Set(twins.map((twin) => `${twin.status} ${twin.text} ${String(twin.headers['x-event-id'])}`)).size).toBe(
      1,
    );
  });

  const embedded = profile === 'embedded' ? it : it.skip;
  embedded('leaves totals that equal the sum of the log', async () => {
    expect((await instance.stop()).code).toBe(0);
    await fsckClean(instance.installation);
  });
});
