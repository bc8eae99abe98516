import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually } from '../instance/request.js';

interface EventRecord {
  readonly eventId: string;
  readonly sequence: number;
  readonly occurredAt: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

onEachProfile('the dashboard routes', (start) => {
  let instance: Instance;
  let session: { readonly authorization: string };

  beforeAll(async () => {
    instance = await start({ env: { COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '2' } });
    session = await instance.session();
  }, 90_000);
  afterAll(() => instance.discard());

  const get = (path: string) => instance.request('GET', path, { headers: session });
  const post = (path: string, body?: unknown) => instance.request('POST', path, { headers: session, body });

  async function events(query: string): Promise<{ events: EventRecord[]; total: number }> {
    const answer = await get(`/v1/events?${query}`);
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer.json as { events: EventRecord[]; total: number };
  }

  it('keeps bootstrap.json and the data directory to the owner', () => {
    expect(statSync(instance.dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(instance.dataDir, 'bootstrap.json')).mode & 0o777).toBe(0o600);
    expect(Object.keys(instance.bootstrap).sort()).toEqual(
      ['accountId', 'agentId', 'apiKey', 'baseUrl', 'email', 'mcpUrl', 'password', 'solanaRpcUrl'].sort(),
    );
    expect(instance.bootstrap.apiKey).toMatch(/^csn_live_[0-9A-Za-z]{40}$/);
    expect(instance.bootstrap.mcpUrl).toMatch(/\/mcp$/);
  });

  it('refuses a wrong password and an unknown address with the same message', async () => {
    const wrong = await instance.request('POST', '/v1/auth/login', {
      body: { email: instance.bootstrap.email, password: 'not this one' },
    });
    const unknown = await instance.request('POST', '/v1/auth/login', {
      body: { email: 'unknown@example.com', password: 'not this one' },
    });
    expect([wrong.status, unknown.status, wrong.text]).toEqual([401, 401, unknown.text]);
    const good = await instance.request('POST', '/v1/auth/login', {
      body: { email: instance.bootstrap.email, password: instance.bootstrap.password },
    });
    expect(good.json).toMatchObject({
      account: { id: instance.bootstrap.accountId, plan: 'enterprise' },
      user: { role: 'admin' },
    });
  });

  it('refuses API keys, garbage and logged-out sessions', async () => {
    const other = await instance.session();
    expect((await instance.request('GET', '/v1/agents', { headers: other })).status).toBe(200);
    expect((await instance.request('POST', '/v1/auth/logout', { headers: other })).status).toBe(204);
    for (const headers of [
      other,
      { authorization: `Bearer ${instance.bootstrap.apiKey}` },
      { authorization: 'Bearer a.b.c' },
      { 'x-service-key': instance.bootstrap.apiKey },
      {},
    ])
      expect((await instance.request('GET', '/v1/agents', { headers })).status).toBe(401);
  });

  it('creates, changes, freezes and deactivates an agent', async () => {
    const created = await post('/v1/agents', { name: 'Helper', agent_type: 'support', purpose: 'answers' });
    expect(created.status).toBe(201);
    const { id } = created.json as { id: string };
    expect(created.json).toMatchObject({
      name: 'Helper',
      type: 'support',
      purpose: 'answers',
      version: null,
      status: 'active',
      blockchain_ssn: null,
      behavior_profile: { version: 1, mode: 'enforce', allowed_apis: [], output_rules: null },
    });
    const patched = await instance.request('PATCH', `/v1/agents/${id}`, { headers: session, body: { version: '2' } });
    expect(patched.json).toMatchObject({ id, version: '2', type: 'support' });
    expect((await post(`/v1/agents/${id}/freeze`)).json).toMatchObject({ status: 'frozen' });
    expect((await post(`/v1/agents/${id}/freeze`)).status).toBe(200);
    expect((await post(`/v1/agents/${id}/unfreeze`)).json).toMatchObject({ status: 'active' });
    expect((await post(`/v1/agents/${id}/deactivate`)).json).toMatchObject({ status: 'inactive' });
    expect((await post(`/v1/agents/${id}/unfreeze`)).status).toBe(409);
    const types = await eventually('six events of its life', 30, async () => {
      const found = await events(`agentId=${id}`);
      return found.total >= 5 ? found.events.map(({ type }) => type) : null;
    });
    expect(types).toEqual(['agent.deactivated', 'agent.unfrozen', 'agent.frozen', 'agent.updated', 'agent.created']);
  });

  it('validates a profile as a whole, by version, and names the problem', async () => {
    const { id } = (await post('/v1/agents', { name: 'x' })).json as { id: string };
    const patch = (body: unknown) => instance.request('PATCH', `/v1/agents/${id}/profile`, { headers: session, body });
    expect((await patch({ spending_limit: 12.5, allowed_apis: ['a.example'] })).json).toMatchObject({
      agent_id: id,
      version: 2,
      spending_limit: 12.5,
    });
    expect((await patch({ spending_limit: 12.5 })).json).toMatchObject({ version: 2 });
    expect((await patch({ version: 1, spending_limit: 1 })).status).toBe(409);
    for (const bad of [
      { spending_limit: -1 },
      { spending_limit: '1' },
      { nonsense: 1 },
      { allowed_apis: 'a' },
      { allowed_apis: ['a*b'] },
      { allowed_apis: ['x'.repeat(513)] },
      { mode: 'off' },
      { output_rules: { blocked_pii: ['passport'] } },
    ]) {
      const answer = await patch(bad);
      expect([bad, answer.status, Object.keys(answer.json as object)]).toEqual([bad, 400, ['error']]);
    }
    expect((await get(`/v1/agents/${id}/profile`)).json).toMatchObject({
      version: 2,
      spending_limit: 12.5,
      allowed_apis: ['a.example'],
    });
    expect((await patch({ spending_limit: null })).json).toMatchObject({ version: 3, spending_limit: null });
  });

  it('lists events newest first, filtered and paged', async () => {
    const { id } = (await post('/v1/agents', { name: 'events' })).json as { id: string };
    await instance.request('PATCH', `/v1/agents/${id}/profile`, {
      headers: session,
      body: { off_limits_actions: ['wire'] },
    });
    const ids: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      const answer = await instance.check(
        i % 3 === 0 ? { type: 'wire' } : { type: 'tool_use', toolName: 't', estimatedCost: 1, metadata: { i } },
        { agentId: id },
      );
      ids.push(String(answer.headers['x-event-id']));
    }
    const all = await eventually('all events are listed', 30, async () => {
      const found = await events(`agentId=${id}&limit=1000`);
      return found.total === 14 ? found : null;
    });
    expect(all.events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 14 }, (_, i) => 14 - i));
    expect(all.events.slice(0, 12).map(({ eventId }) => eventId)).toEqual(ids.toReversed());
    expect(all.events[0]).toMatchObject({
      type: 'action.checked',
      agentId: id,
      outcome: 'allowed',
      allowed: true,
      refersTo: null,
      action: { type: 'tool_use', tool_name: 't', url: null, estimatedCost: 1, metadata: { i: 11 } },
      payloadSha256: null,
    });
    expect((await events(`agentId=${id}&outcome=denied`)).total).toBe(4);
    expect((await events(`agentId=${id}&allowed=false`)).total).toBe(4);
    expect((await events(`agentId=${id}&violation_type=off_limits_action`)).total).toBe(4);
    expect((await events(`agentId=${id}&type=profile.changed`)).total).toBe(1);
    const page = await events(`agentId=${id}&limit=5&offset=5`);
    expect(page).toMatchObject({ total: 14, limit: 5, offset: 5 });
    expect(page.events.map(({ sequence }) => sequence)).toEqual([9, 8, 7, 6, 5]);
    const [newest] = all.events;
    expect((await events(`agentId=${id}&to=${newest!.occurredAt}`)).total).toBeLessThan(14);
    for (const query of [
      'limit=0',
      'limit=1001',
      'offset=-1',
      'agentId=x',
      'from=yesterday',
      'allowed=perhaps',
      'outcome=great',
    ])
      expect([query, (await get(`/v1/events?${query}`)).status]).toEqual([query, 400]);
  });

  it('hides accounts from each other', async () => {
    const email = `second-${randomUUID()}@example.com`;
    const registered = await instance.request('POST', '/v1/auth/register', {
      body: { email, password: 'a long enough password', accountName: 'Second' },
    });
    expect(registered.status).toBe(201);
    const stranger = { authorization: `Bearer ${(registered.json as { token: string }).token}` };
    const { agentId } = instance.bootstrap;
    const mine = await instance.request('GET', '/v1/agents', { headers: stranger });
    expect(mine.json).toMatchObject({ total: 0 });
    const listed = (kind: string) => instance.request('GET', `/v1/events?kind=${kind}`, { headers: stranger });
    expect((await listed('agents')).json).toMatchObject({ total: 0 });
    await eventually('the registration and its sign-in are in the trail', 30, async () => {
      const { events: own } = (await listed('account')).json as { events: EventRecord[] };
      expect(own.length).toBeLessThanOrEqual(2);
      return own.length === 2 ? own.map(({ type }) => type).sort() : null;
    });
    for (const [method, path, body] of [
      ['GET', `/v1/agents/${agentId}`],
      ['GET', `/v1/agents/${agentId}/profile`],
      ['GET', `/v1/agents/${agentId}/anchors`],
      ['PATCH', `/v1/agents/${agentId}/profile`, { spending_limit: 1 }],
      ['POST', `/v1/agents/${agentId}/freeze`, {}],
    ] as const)
      expect([path, (await instance.request(method, path, { headers: stranger, body })).status]).toEqual([path, 404]);
    const key = await instance.request('POST', '/v1/api-keys', { headers: stranger, body: { name: 'mine' } });
    expect(key.status).toBe(201);
    const answer = await instance.check(
      { type: 'x' },
      { headers: { 'x-service-key': (key.json as { key: string }).key } },
    );
    expect(answer.status).toBe(404);
    const exported = await instance.request('POST', '/v1/events/export-signed', { headers: stranger, body: {} });
    expect(exported.status).toBe(403);
  });

  it('refuses a key from its revocation on', async () => {
    const created = (await post('/v1/api-keys', { name: 'short-lived' })).json as { id: string; key: string };
    const headers = { 'x-service-key': created.key };
    expect((await instance.check({ type: 'x' }, { headers })).status).toBe(200);
    const revoked = await instance.request('DELETE', `/v1/api-keys/${created.id}`, { headers: session });
    expect(revoked.status).toBe(204);
    expect((await instance.check({ type: 'x' }, { headers })).status).toBe(401);
  });

  it('stores the declared compliance scope', async () => {
    expect((await get('/v1/compliance-scope')).json).toEqual({ soc2: null, hipaa: null, euaiact: null, nydfs: null });
    const scope = {
      soc2: { categories: ['security', 'availability'] },
      hipaa: { ephi: true },
      euaiact: { classification: 'not-assessed' },
      nydfs: { coveredEntity: false },
    };
    expect((await instance.request('PUT', '/v1/compliance-scope', { headers: session, body: scope })).json).toEqual(
      scope,
    );
    expect((await get('/v1/compliance-scope')).json).toEqual(scope);
    expect(
      (await instance.request('PUT', '/v1/compliance-scope', { headers: session, body: { hipaa: { ephi: 'yes' } } }))
        .status,
    ).toBe(400);
  });

  it('describes itself: health, metrics, OpenAPI', async () => {
    expect((await instance.request('GET', '/healthz')).status).toBe(200);
    expect((await instance.request('GET', '/readyz')).status).toBe(200);
    const metrics = await instance.request('GET', '/metrics');
    expect(metrics.headers['content-type']).toMatch(/^text\/plain/);
    expect(metrics.text).toMatch(/^# HELP countersign_/m);
    const openapi = (await instance.request('GET', '/v1/openapi.json')).json as {
      openapi: string;
      info: { version: string };
      paths: Record<string, unknown>;
    };
    expect(openapi).toMatchObject({ openapi: expect.stringMatching(/^3\.1/), info: { version: '1.0.0' } });
    for (const path of [
      '/v1/check',
      '/v1/auth/login',
      '/v1/agents',
      '/v1/agents/{id}/profile',
      '/v1/events',
      '/v1/agents/{id}/anchors',
      '/v1/events/export-signed',
      '/v1/keys',
      '/v1/keys/{keyId}',
      '/v1/inclusion/verify',
      '/v1/chain/verify',
      '/v1/compliance-scope',
    ])
      expect(Object.keys(openapi.paths)).toContain(path);
  });
});
