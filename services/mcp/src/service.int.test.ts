import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { powersOf } from '@countersign/contracts';
import type { ApiKeyFacts } from '@countersign/contracts';
import { Api } from './answer/api.js';
import { Conversation } from './answer/conversation.js';

type Asked = { readonly path: string; readonly key: unknown; readonly body: unknown };
type Said = { readonly status: number; readonly body: unknown; readonly eventId?: string; readonly wouldDeny?: string };

const EVENT = '01890a5d-ac96-774b-bcce-b302099a8057';

/** The API, played; and the hosted server without the edge before it. */
describe('the hosted MCP server', () => {
  let api: Server;
  let hosted: Server;
  let said: Said;
  let asked: Asked[] = [];
  let powers = powersOf({ first: true });
  let client: Client;
  const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  beforeAll(async () => {
    api = createServer((request, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        asked.push({ path: request.url ?? '', key: request.headers['x-service-key'], body: JSON.parse(body) });
        if (said.eventId !== undefined) response.setHeader('x-event-id', said.eventId);
        if (said.wouldDeny !== undefined) response.setHeader('x-would-deny', said.wouldDeny);
        response.writeHead(said.status, { 'content-type': 'application/json' });
        response.end(typeof said.body === 'string' ? said.body : JSON.stringify(said.body));
      })();
    });
    await listen(api);
    const conversation = new Conversation(new Api(() => addressOf(api)), { warn: () => undefined });
    hosted = createServer((request, response) => {
      void (async () => {
        if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end();
        let body = '';
        for await (const chunk of request) body += String(chunk);
        const version = request.headers['mcp-protocol-version'];
        const message = JSON.parse(body) as object;
        const { status, text } = await conversation.answer(
          message,
          'csn_live_key',
          powers,
          version as string | undefined,
        );
        response.writeHead(status, text === '' ? {} : { 'content-type': 'application/json' }).end(text);
        return response;
      })();
    });
    await listen(hosted);
    client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${addressOf(hosted)}/mcp`));
    await client.connect(transport);
  }, 60_000);
  beforeEach(() => {
    asked = [];
  });
  afterAll(async () => {
    await client.close();
    for (const server of [api, hosted]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('shows four tools with their input, output and effects', async () => {
    expect(client.getInstructions()).toMatch(/check_action before you act/u);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['register_agent', 'check_action', 'log_action', 'scan_output']);
    expect(tools.every(({ inputSchema, description }) => inputSchema.type === 'object' && description !== '')).toBe(
      true,
    );
    expect(tools.every(({ outputSchema }) => outputSchema?.properties?.['error'] !== undefined)).toBe(true);
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([false, false, false, true]);
  });

  it('shows a key the tools that it may use, and no others', async () => {
    const names = async (rights: ApiKeyFacts['rights']): Promise<string[]> => {
      powers = powersOf(rights === undefined ? {} : { rights });
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    expect(await names(undefined)).toEqual(['check_action', 'log_action', 'scan_output']);
    expect(await names(['register'])).toEqual(['register_agent']);
    expect(await names(['read', 'policy'])).toEqual([]);
    powers = powersOf({ first: true });
  });

  it.each([
    ['register_agent', '/v1/mcp/register', { name: 'x' }, { status: 201, body: { id: 'a' } }],
    ['check_action', '/v1/mcp/check', { agentId: 'a' }, { status: 200, body: { allowed: true }, eventId: EVENT }],
    ['log_action', '/v1/mcp/log', { outcome: 'failed' }, { status: 201, body: { eventId: EVENT } }],
    ['scan_output', '/v1/mcp/scan', { text: 't' }, { status: 200, body: { allowed: true } }],
  ] as const)('%s asks %s with the caller’s key', async (name, path, given, answer) => {
    said = answer;
    const result = await client.callTool({ name, arguments: given });
    expect(asked).toEqual([{ path, key: 'csn_live_key', body: given }]);
    const expected = { ...answer.body, ...('eventId' in answer ? { eventId: EVENT } : {}) };
    expect(result.structuredContent).toEqual(expected);
    expect(result.isError ?? false).toBe(false);
    expect(JSON.parse((result.content as [{ text: string }])[0].text)).toEqual(expected);
  });

  it.each([
    [200, { allowed: false, reason: 'use another', severity: 'P2' }],
    [402, { allowed: false, reason: 'over', severity: 'P3', code: 'sandbox_expired' }],
    [403, { allowed: false, reason: 'frozen', severity: 'P1', code: 'agent_frozen' }],
    [503, { allowed: false, reason: 'late', severity: 'P1', code: 'deadline_exceeded' }],
  ])('a denial (%i) is a result that says why', async (status, body) => {
    said = { status, body };
    const result = await client.callTool({ name: 'check_action', arguments: {} });
    expect([result.isError ?? false, result.structuredContent]).toEqual([false, body]);
  });

  it('returns what observe mode would have denied', async () => {
    said = { status: 200, body: { allowed: true }, wouldDeny: 'off_limits_action; rule=off_limits_actions:wire' };
    const { structuredContent } = await client.callTool({ name: 'check_action', arguments: {} });
    expect(structuredContent).toEqual({ allowed: true, would_deny: said.wouldDeny });
  });

  it.each([
    [400, { error: 'agentId: a UUID' }],
    [404, { error: 'no such agent' }],
    [409, { error: 'reported before' }],
  ])('what the caller has to change (%i) is an error of the tool', async (status, body) => {
    said = { status, body };
    const result = await client.callTool({ name: 'check_action', arguments: {} });
    expect([result.isError, JSON.parse((result.content as [{ text: string }])[0].text)]).toEqual([true, body]);
  });

  it('allows nothing if the API does not answer, or another program does', async () => {
    said = { status: 200, body: '<html>' };
    const result = await client.callTool({ name: 'check_action', arguments: {} });
    expect(result.structuredContent).toMatchObject({ allowed: false, code: 'unavailable' });
    const gone = await new Api(() => 'http://127.0.0.1:1').ask('/v1/mcp/check', {}, 'k');
    expect(gone).toMatchObject({ status: 503, body: { allowed: false } });
  });

  it.each([
    ['check_action', 200, { ok: true }],
    ['check_action', 200, { allowed: 'true' }],
    ['check_action', 200, { allowed: 1, reason: 'no', eventId: 'e' }],
    ['scan_output', 200, {}],
    ['check_action', 500, { allowed: true }],
    ['check_action', 502, { allowed: 'yes', error: 3 }],
  ])(
    '%s: a decision that is none (%i, %j) is an error of the tool, and says neither yes nor no',
    async (name, status, body) => {
      said = { status, body };
      const result = await client.callTool({ name, arguments: {} });
      const error = expect.stringMatching(/not said whether this is allowed: do not act/u);
      expect([result.isError, result.structuredContent]).toEqual([true, { error }]);
    },
  );

  it('returns an error of the tool for a report that was not accepted', async () => {
    said = { status: 503, body: { error: 'try again' } };
    expect((await client.callTool({ name: 'log_action', arguments: {} })).isError).toBe(true);
    said = { status: 200, body: '<html>' };
    expect((await client.callTool({ name: 'log_action', arguments: {} })).isError).toBe(true);
  });

  it('lists its tools for an unknown one', async () => {
    const result = await client.callTool({ name: 'delete_everything', arguments: {} });
    expect([result.isError, JSON.stringify(result.content)]).toEqual([true, expect.stringContaining('check_action')]);
    expect(asked).toEqual([]);
  });

  it('answers an invalid message according to the protocol, and a notification with an empty body', async () => {
    const conversation = new Conversation(new Api(() => addressOf(api)), { warn: () => undefined });
    const broken = await conversation.answer({ hello: 'you' }, 'k', powers, undefined);
    expect([broken.status, JSON.parse(broken.text)]).toMatchObject([400, { jsonrpc: '2.0', error: { code: -32700 } }]);
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await conversation.answer(note, 'k', powers, undefined)).toEqual({ status: 202, text: '' });
  });
});
