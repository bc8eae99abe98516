import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { onEachProfile } from '../instance/profiles.js';

type Result = { readonly isError?: boolean; readonly structuredContent: Readonly<Record<string, unknown>> };

onEachProfile('the tool protocol, by its official client', (start) => {
  let instance: Instance;
  let headers: Record<string, string>;
  let client: Client;
  let key: { readonly id: string; readonly key: string };
  let agentId: string;
  beforeAll(async () => {
    instance = await start();
    headers = await instance.session();
    const rights = ['check', 'outcome', 'scan', 'register'];
    key = (await instance.request('POST', '/v1/api-keys', { headers, body: { name: 'model', rights } }))
      .json as typeof key;
    agentId = await newAgent(instance, headers, {
      off_limits_actions: ['wire'],
      output_rules: { blocked_pii: ['email'], block_secrets: false, blocked_topics: [], max_length: null },
    });
    client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${instance.bootstrap.baseUrl}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key.key}` } },
    });
    await client.connect(transport);
  }, 120_000);
  afterAll(async () => {
    await client?.close();
    await instance?.discard();
  });

  const call = async (name: string, given: Record<string, unknown>): Promise<Result> =>
    (await client.callTool({ name, arguments: given })) as Result;

  it('checks, reports and scans, and what it says is in the archive', async () => {
    const allowed = await call('check_action', { agentId, action: { type: 'pay' } });
    expect(allowed.structuredContent).toMatchObject({ allowed: true, eventId: expect.any(String) });
    const { eventId } = allowed.structuredContent;
    const logged = await call('log_action', { agentId, eventId, outcome: 'succeeded' });
    expect(logged.structuredContent).toEqual({ eventId: expect.any(String) });
    const denied = await call('check_action', { agentId, action: { type: 'wire' } });
    expect([denied.isError ?? false, denied.structuredContent]).toMatchObject([
      false,
      { allowed: false, reason: expect.stringContaining('off_limits_actions'), severity: 'P1' },
    ]);
    const scanned = await call('scan_output', { agentId, text: 'write to someone@shop.example' });
    expect(scanned.structuredContent).toMatchObject({ allowed: false, category: 'pii', pii_kind: 'email' });
    const { json } = await instance.request('GET', `/v1/events?agentId=${agentId}&type=action.outcome`, { headers });
    expect(json).toMatchObject({ total: 1, events: [{ refersTo: eventId, outcome: 'succeeded' }] });
  });

  it('registers an agent, and tells of a bad argument as an error of the tool', async () => {
    const made = await call('register_agent', { name: 'made by a model' });
    expect(made.structuredContent).toMatchObject({ name: 'made by a model', status: 'active' });
    // The key that registered it gets no second limit by it.
    const acting = await call('check_action', { agentId: made.structuredContent['id'], action: { type: 'pay' } });
    expect([acting.isError, acting.structuredContent]).toEqual([
      true,
      { error: expect.stringMatching(/^no such agent for this API key: .*POST \/v1\/api-keys/u) },
    ]);
    expect((await call('check_action', { agentId: 'nobody' })).isError).toBe(true);
    expect((await call('log_action', { agentId, eventId: agentId, outcome: 'failed' })).isError).toBe(true);
  });

  it('refuses a key as soon as it is revoked, also of who has connected before', async () => {
    expect((await instance.request('DELETE', `/v1/api-keys/${key.id}`, { headers })).status).toBe(204);
    await expect(client.listTools()).rejects.toThrow(/401|was revoked/u);
  });

  it('takes nothing but messages', async () => {
    const { apiKey } = instance.bootstrap;
    const listening = await instance.request('GET', '/mcp', { headers: { 'x-service-key': apiKey } });
    expect([listening.status, listening.headers['allow']]).toEqual([405, 'POST']);
    const other = await instance.request('POST', '/mcp', { headers: { 'x-service-key': apiKey }, body: { hello: 1 } });
    expect([other.status, other.json]).toMatchObject([400, { jsonrpc: '2.0' }]);
  });
});
