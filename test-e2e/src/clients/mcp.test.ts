import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { eventually } from '../instance/request.js';
import { onEachProfile } from '../instance/profiles.js';

type Result = { readonly isError?: boolean; readonly structuredContent: Readonly<Record<string, unknown>> };

interface ToolCase {
  readonly name: string;
  readonly input: unknown;
  readonly denied?: readonly string[];
}

const TOOL_CALLS = JSON.parse(readFileSync(new URL('../../client-cases/tool-calls.json', import.meta.url), 'utf8')) as {
  readonly profiles: Readonly<Record<string, object>>;
  readonly cases: readonly ToolCase[];
};

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

  it('checks, reports and scans, and the archive has the records', async () => {
    const allowed = await call('check_action', { agentId, action: { type: 'pay' } });
    expect(allowed.structuredContent).toMatchObject({ allowed: true, eventId: expect.any(String) });
    const { eventId } = allowed.structuredContent;
    // The archive of the distributed profile may be behind the log for a moment, and says so.
    const logged = await eventually('the archive has the check', 30, async () => {
      const answer = await call('log_action', { agentId, eventId, outcome: 'succeeded' });
      return /try again/u.test(JSON.stringify(answer.structuredContent)) ? null : answer;
    });
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

  it('finds a check by the trace in the _meta of its call', async () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${id}-00f067aa0ba902b7-01`;
    const given = { agentId, action: { type: 'pay' } };
    const traced = await client.callTool({ name: 'check_action', arguments: given, _meta: { traceparent } });
    expect(traced).toMatchObject({ structuredContent: { allowed: true }, _meta: { traceparent } });
    const { eventId } = traced.structuredContent as { readonly eventId: string };
    const found = await eventually('the archive has the check', 30, async () => {
      const { json } = await instance.request('GET', `/v1/events?trace=${id}`, { headers });
      return (json as { readonly events: readonly unknown[] }).events.length === 0 ? null : json;
    });
    expect(found).toMatchObject({ events: [{ eventId }] });
  });

  it('registers an agent, and reports an invalid argument as an error of the tool', async () => {
    const made = await call('register_agent', { name: 'made by a model' });
    expect(made.structuredContent).toMatchObject({ name: 'made by a model', status: 'active' });
    // The key that registered it gets no additional limit through it.
    const acting = await call('check_action', { agentId: made.structuredContent['id'], action: { type: 'pay' } });
    expect([acting.isError, acting.structuredContent]).toEqual([
      true,
      { error: expect.stringMatching(/^no such agent for this API key: .*POST \/v1\/api-keys/u) },
    ]);
    const evaluation = {
      subject: { type: 'agent', id: made.structuredContent['id'] },
      action: { name: 'pay' },
      resource: { type: 'data', id: 'orders' },
    };
    const registered = { agentId: made.structuredContent['id'] };
    const statuses = async (apiKey: string): Promise<readonly number[]> => {
      const asked: number[] = [];
      for (const [path, body] of [
        ['/v1/check', { ...registered, action: { type: 'pay' } }],
        ['/access/v1/evaluation', evaluation],
        ['/v1/mcp/log', { ...registered, outcome: 'succeeded' }],
        ['/v1/mcp/scan', { ...registered, text: 'a' }],
        ['/v1/mcp/tools', { ...registered, tools: ['a'] }],
      ] as const) {
        asked.push((await instance.request('POST', path, { headers: { 'x-service-key': apiKey }, body })).status);
      }
      return asked;
    };
    expect(await statuses(key.key)).toEqual([404, 404, 404, 404, 404]);
    const own = { name: 'of the new agent', agentIds: [registered.agentId] };
    const bound = await instance.request('POST', '/v1/api-keys', { headers, body: own });
    expect(await statuses((bound.json as typeof key).key)).toEqual([200, 200, 201, 200, 200]);
    expect((await call('log_action', { ...registered, outcome: 'skipped' })).isError).toBe(true);
    expect((await call('check_action', { agentId: 'not-an-id' })).isError).toBe(true);
    expect((await call('log_action', { agentId, eventId: agentId, outcome: 'failed' })).isError).toBe(true);
  });

  it('gives a tool call the same decision on every route', async () => {
    const apiKey = { 'x-service-key': key.key };
    const post = async (path: string, body: object): Promise<{ status: number; json: Record<string, unknown> }> =>
      (await instance.request('POST', path, { headers: apiKey, body })) as {
        status: number;
        json: Record<string, unknown>;
      };
    for (const profile of ['hosts', 'blocked']) {
      const id = await newAgent(instance, headers, TOOL_CALLS.profiles[profile]);
      const payloadOf = ({ input }: ToolCase): object => (input === null ? {} : { payload: input });
      const bodies = TOOL_CALLS.cases.map((one) => ({
        agentId: id,
        action: { type: 'tool_use', tool_name: 'tool', ...payloadOf(one) },
      }));
      const evaluations = TOOL_CALLS.cases.map((one) => ({
        subject: { type: 'agent', id },
        action: { name: 'tool_use', properties: payloadOf(one) },
        resource: { type: 'tool', id: 'tool' },
      }));
      const all = await post('/access/v1/evaluations', { evaluations });
      const routes = {
        check: await Promise.all(bodies.map(async (body) => (await post('/v1/check', body)).json['allowed'])),
        mcpCheck: await Promise.all(bodies.map(async (body) => (await post('/v1/mcp/check', body)).json['allowed'])),
        tool: await Promise.all(
          bodies.map(async (body) => (await call('check_action', body)).structuredContent['allowed']),
        ),
        evaluation: await Promise.all(
          evaluations.map(async (one) => (await post('/access/v1/evaluation', one)).json['decision']),
        ),
        evaluations: (all.json['evaluations'] as { decision: boolean }[]).map(({ decision }) => decision),
      };
      const expected = TOOL_CALLS.cases.map(({ name, denied = [] }) => [name, !denied.includes(profile)]);
      for (const [route, verdicts] of Object.entries(routes)) {
        const said = TOOL_CALLS.cases.map(({ name }, index) => [name, verdicts[index]]);
        expect([profile, route, said]).toEqual([profile, route, expected]);
      }
    }
  }, 60_000);

  it('refuses a key as soon as it is revoked, also on existing connections', async () => {
    expect((await instance.request('DELETE', `/v1/api-keys/${key.id}`, { headers })).status).toBe(204);
    await expect(client.listTools()).rejects.toThrow(/401|was revoked/u);
  });

  it('accepts only messages', async () => {
    const { apiKey } = instance.bootstrap;
    const listening = await instance.request('GET', '/mcp', { headers: { 'x-service-key': apiKey } });
    expect([listening.status, listening.headers['allow']]).toEqual([405, 'POST']);
    const other = await instance.request('POST', '/mcp', { headers: { 'x-service-key': apiKey }, body: { hello: 1 } });
    expect([other.status, other.json]).toMatchObject([400, { jsonrpc: '2.0' }]);
  });
});
