import { readFileSync } from 'node:fs';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually } from '../instance/request.js';
import type { Answer } from '../instance/request.js';

interface Vectors {
  readonly token: { readonly sub: string; readonly client_id: string };
  readonly requests: readonly {
    readonly name: string;
    readonly section: string;
    readonly params: { readonly arguments?: object };
    readonly api: 'evaluation' | 'evaluations';
    readonly request: { readonly context: object };
  }[];
}

interface Decision {
  readonly decision: boolean;
  readonly context: { readonly event_id?: string; readonly code?: string; readonly rule?: string };
}

const FILE = new URL('../../vectors/coaz-mcp.json', import.meta.url);
const VECTORS = JSON.parse(readFileSync(FILE, 'utf8')) as Vectors;
const CLIENT = VECTORS.token.client_id;

interface Tenant {
  readonly session: Record<string, string>;
  readonly key: string;
}

onEachProfile('the tool-protocol binding of AuthZEN', (start) => {
  let instance: Instance;
  let first: Tenant;
  let second: Tenant;
  let agentId: string;

  beforeAll(async () => {
    instance = await start();
    first = { session: await instance.session(), key: instance.bootstrap.apiKey };
    second = await anotherTenant();
    agentId = await newAgent(instance, first.session, {
      store_payload: true,
      rules: [{ id: 'who', effect: 'deny', when: "principal == 'mallory@example.com'" }],
    });
    expect((await setClients(agentId, [CLIENT])).status).toBe(200);
  }, 120_000);
  afterAll(() => instance.discard());

  async function anotherTenant(): Promise<Tenant> {
    const login = { email: 'other@example.com', password: 'correct horse battery staple', accountName: 'Other' };
    const registered = await instance.request('POST', '/v1/auth/register', { body: login });
    expect(registered.status).toBe(201);
    const { token } = registered.json as { token: string };
    const session = { authorization: `Bearer ${token}` };
    const made = await instance.request('POST', '/v1/api-keys', { headers: session, body: { name: 'pep' } });
    expect(made.status).toBe(201);
    return { session, key: (made.json as { key: string }).key };
  }

  const setClients = (id: string, oauth_client_ids: readonly string[], by = first): Promise<Answer> =>
    instance.request('PATCH', `/v1/agents/${id}`, { headers: by.session, body: { oauth_client_ids } });
  const evaluate = (body: object, key = first.key, api = 'evaluation'): Promise<Answer> =>
    instance.request('POST', `/access/v1/${api}`, { headers: { 'x-service-key': key }, body });
  const call = (agent: string, more: object = {}) => ({
    subject: { type: 'identity', id: VECTORS.token.sub },
    action: { name: 'tools/call' },
    resource: { type: 'tool', id: 'get_customer' },
    context: { agent, ...more },
  });
  const decisionOf = ({ status, json }: Answer): Decision => {
    expect(status).toBe(200);
    return json as Decision;
  };
  const recorded = (id: string, headers = first.session): Promise<{ agentId: string }> =>
    eventually('the event is in the archive', 30, async () => {
      const { status, json } = await instance.request('GET', `/v1/events/${id}`, { headers });
      return status === 200 ? (json as { agentId: string }) : null;
    });

  it.each(VECTORS.requests)('takes the request of the draft for $name ($section)', async ({ api, request }) => {
    const answer = await evaluate(request, first.key, api);
    expect(answer.status).toBe(200);
    const { evaluations = [answer.json] } = answer.json as { evaluations?: readonly Decision[] };
    for (const { decision, context } of evaluations as readonly Decision[]) {
      expect(decision).toBe(true);
      expect(await recorded(context.event_id!)).toMatchObject({ agentId });
    }
    // The same for a client of no agent: decided, and not an error.
    const unknown = await evaluate({ ...request, context: { ...request.context, agent: 'unknown' } }, first.key, api);
    const { evaluations: denials = [unknown.json] } = unknown.json as { evaluations?: readonly Decision[] };
    for (const denial of denials) {
      expect(denial).toEqual({ decision: false, context: { code: 'unknown_client', reason: expect.any(String) } });
    }
    expect([unknown.status, unknown.headers['x-event-id']]).toEqual([200, undefined]);
  });

  it('names the subject as principal, and judges the arguments that the gateway adds', async () => {
    const mallory = { ...call(CLIENT), subject: { type: 'identity', id: 'mallory@example.com' } };
    expect(decisionOf(await evaluate(mallory))).toMatchObject({ decision: false, context: { rule: 'rules:who' } });
    const id = await newAgent(instance, first.session, {
      store_payload: true,
      rules: [
        { id: 'case', effect: 'deny_unless', tools: ['get_customer'], args: { case: { one_of: ['case-67890'] } } },
      ],
    });
    await setClients(id, ['reader']);
    const { arguments: args } = VECTORS.requests.find(({ name }) => name === 'tools/call')!.params;
    expect(decisionOf(await evaluate(call('reader', { arguments: args }))).decision).toBe(true);
    expect(decisionOf(await evaluate(call('reader', { arguments: { case: 'another' } })))).toMatchObject({
      decision: false,
      context: { rule: 'rules:case' },
    });
    expect(decisionOf(await evaluate(call('reader'))).decision).toBe(false);
  });

  it('finds the agent of the account alone, where two accounts have the client', async () => {
    expect(decisionOf(await evaluate(call(CLIENT), second.key)).context.code).toBe('unknown_client');
    const theirs = await newAgent(instance, second.session);
    expect((await setClients(theirs, [CLIENT], second)).status).toBe(200);
    const decisions = [await evaluate(call(CLIENT)), await evaluate(call(CLIENT), second.key)].map(decisionOf);
    expect(await recorded(decisions[0]!.context.event_id!)).toMatchObject({ agentId });
    expect(await recorded(decisions[1]!.context.event_id!, second.session)).toMatchObject({ agentId: theirs });
    expect((await setClients(agentId, [CLIENT], second)).status).toBe(404);
  });

  it('answers a key that is for other agents as if there were no such client', async () => {
    const other = await newAgent(instance, first.session);
    const body = { name: 'limited', agentIds: [other] };
    const made = await instance.request('POST', '/v1/api-keys', { headers: first.session, body });
    const { key } = made.json as { key: string };
    const limited = decisionOf(await evaluate(call(CLIENT), key));
    expect(limited).toEqual(decisionOf(await evaluate(call('unknown'), key)));
    expect(limited.context.code).toBe('unknown_client');
    // Also for what is refused of a client that the key is for.
    const twice = {
      ...call(CLIENT, { arguments: { a: 1 } }),
      resource: { type: 'tool', id: 't', properties: { arguments: {} } },
    };
    expect((await evaluate(twice)).status).toBe(400);
    expect(decisionOf(await evaluate(twice, key))).toEqual(limited);
    // Without a client the agent is the one that the key is limited to, as before.
    const { context: _context, ...without } = call(CLIENT);
    expect(decisionOf(await evaluate(without, key)).decision).toBe(true);
    expect((await evaluate(without)).status).toBe(400);
  });

  it('gives a client to one of two agents that take it at once, and to the other once it is free', async () => {
    const agents = await Promise.all([newAgent(instance, first.session), newAgent(instance, first.session)]);
    for (let round = 0; round < 5; round += 1) {
      const client = `raced-${round}`;
      const answers = await Promise.all(agents.map((id) => setClients(id, [client])));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const winner = answers.findIndex(({ status }) => status === 200);
      expect(answers[1 - winner]!.json).toEqual({ error: expect.stringContaining(agents[winner]!) });
      const taken = decisionOf(await evaluate(call(client)));
      expect(await recorded(taken.context.event_id!)).toMatchObject({ agentId: agents[winner] });
      // The next evaluation follows the change.
      expect((await setClients(agents[winner]!, [])).status).toBe(200);
      expect(decisionOf(await evaluate(call(client))).context.code).toBe('unknown_client');
      expect((await setClients(agents[1 - winner]!, [client])).status).toBe(200);
      const moved = decisionOf(await evaluate(call(client)));
      expect(await recorded(moved.context.event_id!)).toMatchObject({ agentId: agents[1 - winner] });
    }
  });

  it('denies a frozen agent, and decides each of several evaluations by its own client', async () => {
    const id = await newAgent(instance, first.session);
    await setClients(id, ['frozen']);
    const change = (to: string) =>
      instance.request('POST', `/v1/agents/${id}/${to}`, { headers: first.session, body: {} });
    expect((await change('freeze')).status).toBe(200);
    const all = ['frozen', 'unknown', CLIENT].map((agent) => call(agent));
    const several = async (evaluations_semantic: string): Promise<readonly Decision[]> => {
      const body = { evaluations: all, options: { evaluations_semantic } };
      const answer = await evaluate(body, first.key, 'evaluations');
      expect(answer.status).toBe(200);
      return (answer.json as { evaluations: readonly Decision[] }).evaluations;
    };
    const decisions = await several('execute_all');
    expect(decisions.map(({ decision }) => decision)).toEqual([false, false, true]);
    expect(decisions[0]!.context.code).not.toBe('unknown_client');
    expect(decisions[1]).toEqual({ decision: false, context: { code: 'unknown_client', reason: expect.any(String) } });
    expect(await several('deny_on_first_deny')).toHaveLength(1);
    expect(await several('permit_on_first_permit')).toHaveLength(3);
    expect((await change('unfreeze')).status).toBe(200);
    expect(decisionOf(await evaluate(call('frozen'))).decision).toBe(true);
  });

  it('frees the clients of an agent that is deactivated, and keeps them over a restart', async () => {
    const body = { name: 'orders', oauth_client_ids: ['orders', 'orders-2'] };
    const create = (more: object = {}) =>
      instance.request('POST', '/v1/agents', { headers: first.session, body: { ...body, ...more } });
    const made = await create();
    expect([made.status, made.json]).toMatchObject([201, { oauth_client_ids: ['orders', 'orders-2'] }]);
    const { id } = made.json as { id: string };
    expect((await create()).status).toBe(409);
    await instance.stop();
    instance = await Instance.startOn(instance.installation);
    expect((await create({ oauth_client_ids: ['orders-3', 'orders-2'] })).status).toBe(409);
    expect(decisionOf(await evaluate(call('orders'))).decision).toBe(true);
    const over = await instance.request('POST', `/v1/agents/${id}/deactivate`, { headers: first.session, body: {} });
    expect(over.status).toBe(200);
    expect(decisionOf(await evaluate(call('orders'))).context.code).toBe('unknown_client');
    expect((await create()).status).toBe(201);
  }, 120_000);

  it.each([
    ['not a list', 'orders'],
    ['empty', ['']],
    ['blank', [' ']],
    ['with a line break', ['a\nb']],
    ['not ASCII', ['dësk']],
    ['too long', ['x'.repeat(201)]],
    ['twice', ['x', 'x']],
    ['17 of them', Array.from({ length: 17 }, (_, n) => `c${n}`)],
    ['null', null],
  ])('refuses client ids that are %s', async (_what, oauth_client_ids) => {
    const { headers, body } = { headers: first.session, body: { oauth_client_ids } };
    expect((await instance.request('PATCH', `/v1/agents/${agentId}`, { headers, body })).status).toBe(400);
    const byKey = { headers: { 'x-service-key': first.key }, body: { name: 'x', oauth_client_ids: ['x'] } };
    expect((await instance.request('POST', '/v1/mcp/register', byKey)).status).toBe(400);
  });

  it('publishes no capability, as the drafts define none', async () => {
    const { json } = await instance.request('GET', '/.well-known/authzen-configuration');
    expect((json as { capabilities: readonly string[] }).capabilities).toEqual([
      'urn:openid:authzen:capability:access-request',
    ]);
  });
});
