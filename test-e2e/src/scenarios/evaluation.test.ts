import { randomUUID } from 'node:crypto';
import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { onEachProfile } from '../instance/profiles.js';
import { EXCHANGES, problemOf, RunExchange } from './access-request-exchange.js';
import type { Answer } from '../instance/request.js';

interface Decision {
  readonly decision: boolean;
  readonly context: { readonly event_id?: string; readonly [member: string]: unknown };
}

onEachProfile('AuthZEN', (start) => {
  let instance: Instance;
  let session: { readonly authorization: string };

  beforeAll(async () => {
    instance = await start();
    session = await instance.session();
    const profile = { allowed_apis: ['api.example.com', 'search'], spending_limit: 5 };
    const patched = await instance.request('PATCH', `/v1/agents/${instance.bootstrap.agentId}/profile`, {
      headers: session,
      body: profile,
    });
    expect([patched.status, patched.text]).toEqual([200, expect.anything()]);
  }, 90_000);
  afterAll(() => instance.discard());

  const subject = () => ({ type: 'agent', id: instance.bootstrap.agentId });
  const url = (id: string) => ({ type: 'url', id });
  const evaluate = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    instance.request('POST', `/access/v1/${path}`, {
      headers: { 'x-service-key': instance.bootstrap.apiKey, ...headers },
      body,
    });
  const recorded = async (): Promise<readonly { readonly eventId: string; readonly allowed: boolean }[]> => {
    const listed = await instance.request('GET', '/v1/events?type=action.checked&limit=100', { headers: session });
    return (listed.json as { events: { eventId: string; allowed: boolean }[] }).events;
  };

  it('is found by its configuration', async () => {
    const { baseUrl } = instance.bootstrap;
    const { status, json } = await instance.request('GET', '/.well-known/authzen-configuration');
    expect([status, json]).toEqual([
      200,
      {
        policy_decision_point: baseUrl,
        access_evaluation_endpoint: `${baseUrl}/access/v1/evaluation`,
        access_evaluations_endpoint: `${baseUrl}/access/v1/evaluations`,
        access_request_endpoint: `${baseUrl}/access/v1/requests`,
        jwks_uri: `${baseUrl}/access/v1/jwks`,
        capabilities: ['urn:openid:authzen:capability:access-request'],
      },
    ]);
  });

  it('decides like a check, with the same record', async () => {
    const allowed = await evaluate(
      'evaluation',
      { subject: subject(), action: { name: 'http_call' }, resource: url('https://api.example.com/v1/x') },
      { 'x-request-id': 'mine-1' },
    );
    expect([allowed.status, allowed.headers['x-request-id']]).toEqual([200, 'mine-1']);
    const { event_id } = (allowed.json as Decision).context;
    expect(allowed.json).toEqual({ decision: true, context: { event_id, policy_coverage: 'governed' } });
    expect(allowed.headers['x-event-id']).toBe(event_id);

    const denied = await evaluate('evaluation', {
      subject: subject(),
      action: { name: 'http_call' },
      resource: url('https://elsewhere.example/'),
    });
    expect([denied.status, denied.json]).toEqual([
      200,
      {
        decision: false,
        context: expect.objectContaining({ violation_type: 'api_not_allowed', reason: expect.any(String) }),
      },
    ]);
    for (;;) {
      const events = await recorded();
      if (events.length < 2) continue;
      expect(events.map(({ eventId, allowed: was }) => [eventId, was]).sort()).toEqual(
        [
          [event_id, true],
          [(denied.json as Decision).context.event_id, false],
        ].sort(),
      );
      break;
    }
  });

  it('answers an Idempotency-Key once', async () => {
    const body = { subject: subject(), action: { name: 'http_call' }, resource: url('https://api.example.com/once') };
    const key = { 'idempotency-key': randomUUID() };
    const [first, again] = [await evaluate('evaluation', body, key), await evaluate('evaluation', body, key)];
    expect(again.json).toEqual(first.json);
    const other = await evaluate('evaluation', { ...body, resource: url('https://api.example.com/twice') }, key);
    expect(other.status).toBe(400);
  });

  it('evaluates several at once, and stops where requested', async () => {
    const evaluations = [
      { resource: url('https://api.example.com/1') },
      { resource: url('https://elsewhere.example/2') },
      { subject: { type: 'agent', id: randomUUID() }, resource: url('https://api.example.com/3') },
      { action: { name: 'tool_use', properties: { estimatedCost: 6 } }, resource: { type: 'tool', id: 'search' } },
    ];
    const body = { subject: subject(), action: { name: 'http_call' }, evaluations };
    const decisions = async (more: object): Promise<readonly boolean[]> => {
      const answer = await evaluate('evaluations', { ...body, ...more });
      expect(answer.status).toBe(200);
      return (answer.json as { evaluations: Decision[] }).evaluations.map(({ decision }) => decision);
    };
    expect(await decisions({})).toEqual([true, false, false, false]);
    expect(await decisions({ options: { evaluations_semantic: 'deny_on_first_deny' } })).toEqual([true, false]);
    expect(await decisions({ options: { evaluations_semantic: 'permit_on_first_permit' } })).toEqual([true]);
    const { json } = await evaluate('evaluations', { ...body, evaluations: evaluations.slice(2, 3) });
    expect(json).toEqual({
      evaluations: [{ decision: false, context: { error: { status: 404, message: expect.any(String) } } }],
    });
    const parts = await evaluate('evaluations', {
      subject: subject(),
      action: { name: 'tool_use' },
      resource: { type: 'tool' },
      evaluations: [{ resource: { id: 'search' } }, { resource: { type: 'url' } }, { action: {} }],
    });
    const lacking = { decision: false, context: { error: { status: 400, message: 'resource.id is missing' } } };
    expect([parts.status, parts.json]).toEqual([
      200,
      { evaluations: [{ decision: true, context: expect.anything() }, lacking, lacking] },
    ]);
    const single = await evaluate('evaluations', {
      ...body,
      resource: url('https://api.example.com/4'),
      evaluations: [],
    });
    expect(single.json).toMatchObject({ decision: true });
  });

  it('accepts at most 100, each recorded', async () => {
    const of = (count: number) => ({
      subject: subject(),
      action: { name: 'http_call' },
      evaluations: Array.from({ length: count }, (_, n) => ({ resource: url(`https://api.example.com/many/${n}`) })),
    });
    const { status, json } = await evaluate('evaluations', of(100));
    const ids = (json as { evaluations: Decision[] }).evaluations.map(({ context }) => context.event_id);
    expect([status, new Set(ids).size]).toEqual([200, 100]);
    expect((await evaluate('evaluations', of(101))).status).toBe(400);
  });

  it.each([
    ['no credentials', { 'x-service-key': '' }, {}, 401],
    ['another subject', {}, { subject: { type: 'user', id: 'u' } }, 400],
    ['no resource', {}, { resource: undefined }, 400],
    ['an unknown agent', {}, { subject: { type: 'agent', id: randomUUID() } }, 404],
  ] as const)('refuses %s, with the id of the request', async (_what, headers, change, status) => {
    const body = {
      subject: subject(),
      action: { name: 'http_call' },
      resource: url('https://api.example.com/'),
      ...change,
    };
    const refused = await evaluate('evaluation', body, { 'x-request-id': 'mine-2', ...headers });
    expect([refused.status, refused.headers['x-request-id']]).toEqual([status, 'mine-2']);
  });

  it.each(EXCHANGES)('runs the example of access requests: $name', async (exchange) => {
    const run = new RunExchange(exchange, instance, session);
    await run.prepare();
    const denied = await run.send(0);
    run.takes(1, denied);
    const submitted = await run.send(2);
    run.takes(3, submitted);
    // Again, and with another body.
    expect((await run.send(2)).json).toEqual(submitted.json);
    const problem = 'application/problem+json';
    expect(problemOf(await run.send(2, { context: { a: 1 } }))).toEqual([409, problem, 'duplicate_request']);
    const other = { 'idempotency-key': randomUUID() };
    const { denial } = exchange.steps[2]!.request!.body as { denial: { readonly [member: string]: unknown } };
    for (const [change, type] of [
      [{ denial: undefined }, 'invalid_denial_binding'],
      [{ denial: {} }, 'not_requestable'],
      [{ denial: { ...denial, binding_token: undefined } }, 'invalid_denial_binding'],
      [{ denial: { ...denial, binding_token: 'e30.e30.e30' } }, 'invalid_denial_binding'],
      [{ denial: { ...denial, expires_at: '2126-01-01T00:00:00Z' } }, 'invalid_denial_binding'],
      [{ denial: { ...denial, evaluation_id: randomUUID() } }, 'invalid_denial_binding'],
      [{ resource: { type: 'document', id: 'q4-plan-2' } }, 'invalid_denial_binding'],
      [{ items: [] }, 'invalid_denial_binding'],
    ] as const) {
      expect([change, problemOf(await run.send(2, change, other))]).toEqual([change, [400, problem, type]]);
    }
    // Of another account's key, and of a key for another agent, as if there were no such task.
    const foreign = new RunExchange(exchange, instance, session);
    await foreign.prepare();
    expect(problemOf(await run.task(submitted, foreign.key))).toEqual([404, problem, 'unknown_task']);
    const asForeign = { ...other, 'x-service-key': foreign.key };
    expect(problemOf(await run.send(2, {}, asForeign))).toEqual([400, problem, 'invalid_denial_binding']);
    expect((await run.task(submitted)).json).toMatchObject({ task: { status: 'pending' } });

    await run.decide(submitted, 'approve');
    const completed = await run.task(submitted);
    run.takes(4, completed);
    expect((await run.send(2)).status).toBe(201);
    const final = await run.evaluated(5, ({ next_action: next }) => next === undefined);
    run.takes(6, final);
    // It is used up: the denial names the next access request.
    const used = await run.send(5);
    expect(used.json).toMatchObject({
      decision: false,
      context: {
        reason: 'approval_consumed',
        next_action: 'request',
        access_request: { binding_token: expect.any(String) },
      },
    });
  });

  it('answers 200 with a denial for a frozen agent', async () => {
    const id = await newAgent(instance, session);
    const frozen = await instance.request('POST', `/v1/agents/${id}/freeze`, { headers: session, body: {} });
    expect(frozen.status).toBe(200);
    const answer = await evaluate('evaluation', {
      subject: { type: 'agent', id },
      action: { name: 'http_call' },
      resource: url('https://api.example.com/'),
    });
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { decision: false, context: { reason: expect.any(String) } },
    ]);
  });
});
