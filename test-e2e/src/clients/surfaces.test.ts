import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Countersign } from '@countersign/client';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { PROGRAM } from '../instance/program.js';

/** Names of a check, in addition to its agent and action. */
interface Named {
  readonly session: string;
  readonly principal: string;
  readonly trace: string;
}

/** Why a surface cannot carry a member. */
interface Without {
  readonly without: string;
}

interface Surface {
  readonly name: string;
  /** Makes the nth check of an agent; every one of them is allowed. */
  readonly ask: (agentId: string, n: number) => Promise<unknown>;
  /** Where a member of {@link Named} arrives as something else, or not at all. Absent: as it was given. */
  readonly session?: 'of its own';
  readonly principal?: Without;
  readonly trace?: Without;
}

const NAMED: Named = {
  session: 's-1',
  principal: 'ann@shop.example',
  trace: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};
const BY_HEADERS = {
  'x-countersign-session': NAMED.session,
  'x-countersign-principal': NAMED.principal,
  traceparent: NAMED.trace,
};
const { 'x-countersign-session': _session, ...BUT_SESSION } = BY_HEADERS;

const ACTION = { type: 'tool_use', tool_name: 'lookup' };
const SNAKE = { session_id: NAMED.session, cwd: '/srv', tool_name: 'lookup', tool_input: { a: 1 } };
const OF_PROGRAM = { without: 'the program that starts it gives it neither: standard input has no such member' };

/**
 * Every surface that decides. Its second check, in one session, sees the fact that its first has set and what the first took of
 * a limit by session; a rule reads session and principal; and the event has them and the trace. The Python client is a row of
 * `libs/client-python/tests/test_surfaces.py`, since this process cannot import it.
 */
describe('facts, limits, rules and who asks reach the surface', () => {
  let instance: Instance;
  let headers: Record<string, string>;
  const opened: Client[] = [];
  beforeAll(async () => {
    instance = await Instance.start();
    headers = await instance.session();
  }, 90_000);
  afterAll(async () => {
    for (const client of opened) await client.close();
    await instance?.discard();
  });

  const post = async (path: string, body: unknown, more: Record<string, string>): Promise<void> => {
    const answer = await instance.request('POST', path, {
      headers: { 'x-service-key': instance.bootstrap.apiKey, ...more },
      body,
    });
    expect([answer.status, answer.text]).toEqual([
      200,
      expect.not.stringMatching(/deny|denied|BLOCKED|"allowed":false/u),
    ]);
  };
  const hook =
    (tool: string, body: (call: string) => object, more: Record<string, string>): Surface['ask'] =>
    (agentId, n) =>
      post(`/v1/hooks/${tool}`, body(`${agentId}-${n}`), { ...more, 'x-countersign-agent': agentId });
  const evaluation = (id: string, context?: object): object => ({
    subject: { type: 'agent', id },
    action: { name: 'tool_use' },
    resource: { type: 'tool', id: 'lookup' },
    ...(context === undefined ? {} : { context }),
  });
  /** Of a gateway of the tool protocol: the subject is the principal, the agent is that of an OAuth client. */
  const toolCall = async (agentId: string, context: object = {}): Promise<object> => {
    const body = { oauth_client_ids: [`client-${agentId}`] };
    expect((await instance.request('PATCH', `/v1/agents/${agentId}`, { headers, body })).status).toBe(200);
    return {
      subject: { type: 'identity', id: NAMED.principal },
      action: { name: 'tools/call' },
      resource: { type: 'tool', id: 'lookup' },
      context: { ...context, agent: `client-${agentId}` },
    };
  };
  const proxies = new Map<string, Client>();

  const surfaces: readonly Surface[] = [
    { name: 'POST /v1/check', ask: (agentId) => post('/v1/check', { agentId, action: ACTION }, BY_HEADERS) },
    {
      name: 'POST /v1/check, by metadata',
      ask: (agentId) => {
        const { trace, ...metadata } = NAMED;
        return post('/v1/check', { agentId, action: { ...ACTION, metadata } }, { traceparent: trace });
      },
    },
    { name: 'POST /v1/mcp/check', ask: (agentId) => post('/v1/mcp/check', { agentId, action: ACTION }, BY_HEADERS) },
    { name: 'AuthZEN evaluation', ask: (id) => post('/access/v1/evaluation', evaluation(id), BY_HEADERS) },
    {
      name: 'AuthZEN evaluation, by context',
      ask: (id) => {
        const { trace, ...context } = NAMED;
        return post('/access/v1/evaluation', evaluation(id, context), { traceparent: trace });
      },
    },
    {
      name: 'AuthZEN evaluations',
      ask: (id) => post('/access/v1/evaluations', { evaluations: [evaluation(id)] }, BY_HEADERS),
    },
    {
      name: 'AuthZEN evaluation by an OAuth client',
      ask: async (id) => {
        const { 'x-countersign-principal': _principal, ...more } = BY_HEADERS;
        await post('/access/v1/evaluation', await toolCall(id), more);
      },
    },
    {
      name: 'AuthZEN evaluations by an OAuth client, by context',
      ask: async (id) => {
        const { session, trace } = NAMED;
        await post(
          '/access/v1/evaluations',
          { evaluations: [await toolCall(id, { session })] },
          { traceparent: trace },
        );
      },
    },
    {
      name: 'MCP server',
      ask: async (agentId) => {
        const { baseUrl, apiKey } = instance.bootstrap;
        const client = new Client({ name: 'test', version: '1' });
        opened.push(client);
        await client.connect(
          new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
            requestInit: { headers: { 'x-service-key': apiKey, ...BY_HEADERS } },
          }),
        );
        const { structuredContent } = await client.callTool({
          name: 'check_action',
          arguments: { agentId, action: ACTION },
        });
        expect(structuredContent).toMatchObject({ allowed: true });
      },
    },
    {
      name: 'countersign mcp-proxy',
      session: 'of its own',
      principal: { without: 'a client of MCP does not name the person on whose behalf it calls' },
      trace: { without: 'one proxy serves all calls of a client, and standard input has no headers' },
      ask: async (agentId) => {
        const client = proxies.get(agentId) ?? (await startProxy(agentId));
        expect((await client.callTool({ name: 'read_graph', arguments: {} })).isError ?? false).toBe(false);
      },
    },
    {
      name: 'countersign hook',
      principal: OF_PROGRAM,
      trace: OF_PROGRAM,
      ask: (agentId, n) =>
        runHook(agentId, { ...SNAKE, hook_event_name: 'PreToolUse', tool_use_id: `toolu_${agentId}-${n}` }),
    },
    {
      name: 'hook of Claude Code',
      ask: hook(
        'claude-code',
        (call) => ({ ...SNAKE, hook_event_name: 'PreToolUse', tool_use_id: `toolu_${call}` }),
        BUT_SESSION,
      ),
    },
    {
      name: 'hook of Codex',
      ask: hook(
        'codex',
        (call) => ({ ...SNAKE, hook_event_name: 'PreToolUse', turn_id: 't', tool_use_id: call }),
        BUT_SESSION,
      ),
    },
    {
      name: 'hook of Cursor',
      ask: hook(
        'cursor',
        (call) => ({
          ...{ conversation_id: NAMED.session, user_email: NAMED.principal, hook_event_name: 'preToolUse' },
          ...{ tool_name: 'lookup', tool_input: {}, tool_use_id: call },
        }),
        { traceparent: NAMED.trace },
      ),
    },
    {
      name: 'hook of Gemini CLI',
      ask: hook('gemini', () => ({ ...SNAKE, hook_event_name: 'BeforeTool' }), BUT_SESSION),
    },
    {
      name: 'hook of GitHub Copilot',
      ask: hook(
        'copilot',
        () => ({ sessionId: NAMED.session, timestamp: 1, cwd: '/srv', toolName: 'lookup', toolArgs: {} }),
        BUT_SESSION,
      ),
    },
    {
      name: 'guardrail of LiteLLM',
      ask: (agentId) =>
        post(
          '/beta/litellm_basic_guardrail_api',
          {
            ...{ input_type: 'request', texts: ['hello'], litellm_trace_id: NAMED.session },
            request_data: { user_api_key_user_id: NAMED.principal },
          },
          { traceparent: NAMED.trace, 'x-countersign-agent': agentId },
        ),
    },
    {
      name: 'guardrail of LiteLLM, by headers',
      ask: (agentId) =>
        post(
          '/beta/litellm_basic_guardrail_api',
          { input_type: 'request', texts: ['hello'], request_data: { user_api_key_user_id: 'another' } },
          { ...BY_HEADERS, 'x-countersign-agent': agentId },
        ),
    },
    {
      name: 'ext_authz of Envoy',
      ask: (agentId) => post('/v1/ext-authz/orders', undefined, { ...BY_HEADERS, 'x-countersign-agent': agentId }),
    },
    {
      name: 'client for JavaScript, by call',
      ask: async (agentId) => {
        const { baseUrl, apiKey } = instance.bootstrap;
        const { trace: traceparent, ...who } = NAMED;
        const client = new Countersign({ apiKey, agentId, baseUrl });
        const options = { ...who, traceparent };
        expect(await client.check({ actionType: 'tool_use', toolName: 'lookup' }, options)).toMatchObject({
          allowed: true,
        });
      },
    },
    {
      name: 'client for JavaScript, by constructor',
      trace: { without: 'a trace is of one request: a call names it' },
      ask: async (agentId) => {
        const { baseUrl, apiKey } = instance.bootstrap;
        const { session, principal } = NAMED;
        const client = new Countersign({ apiKey, agentId, baseUrl, session, principal });
        await client.guard({ actionType: 'tool_use', toolName: 'lookup' }, () => 'done');
      },
    },
  ];

  it.each(surfaces.map((one) => [one.name, one] as const))('%s', async (_name, surface) => {
    const { session = NAMED.session, principal, trace } = surface;
    const reads = session === NAMED.session ? `session == '${session}'` : 'session.size() == 36';
    const who = principal === undefined ? ` && principal == '${NAMED.principal}'` : '';
    const agentId = await newAgent(instance, headers, {
      facts: [{ id: 'asked', set_when: 'true' }],
      limits: [{ id: 'by-session', key: 'session', max_count: 2, window_seconds: 3600 }],
      rules: [{ id: 'who', when: reads + who, effect: 'deny_unless' }],
    });
    for (const n of [1, 2]) await surface.ask(agentId, n);
    const [context] = await contextsOf(agentId, 2);
    expect(context).toMatchObject({
      effect: 'allow',
      facts: ['asked'],
      seen: { limits: { 'by-session': '1' } },
      session: session === NAMED.session ? session : (expect.stringMatching(/^[\da-f-]{36}$/u) as string),
    });
    expect([context?.['principal'], context?.['trace']]).toEqual([
      principal === undefined ? NAMED.principal : undefined,
      trace === undefined ? NAMED.trace : undefined,
    ]);
  });

  it.each([
    ['/access/v1/evaluation', (id: string) => evaluation(id)],
    ['/mcp', () => ({ jsonrpc: '2.0', id: 1, method: 'ping' })],
  ])('%s refuses a session that cannot be read as one', async (path, body) => {
    const { apiKey, agentId } = instance.bootstrap;
    for (const session of path === '/mcp' ? [['a', 'b']] : [['a', 'b'], 'x'.repeat(201)]) {
      const answer = await instance.request('POST', path, {
        headers: { 'x-service-key': apiKey, 'x-countersign-session': session },
        body: body(agentId),
      });
      expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/session/iu)]);
    }
  });

  /** Contexts of the checks of an agent, the newest first, as soon as there are `count`. */
  const contextsOf = async (agentId: string, count: number): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    for (;;) {
      const { json } = await instance.request('GET', `/v1/events?agentId=${agentId}&type=action.checked`, { headers });
      const { events } = json as { readonly events: readonly { readonly eventId: string }[] };
      if (events.length >= count) {
        const details = await Promise.all(
          events.map(({ eventId }) => instance.request('GET', `/v1/events/${eventId}`, { headers })),
        );
        return details.map(
          (detail) => (detail.json as { opened: { context: { value: Record<string, unknown> } } }).opened.context.value,
        );
      }
      await sleep(100);
    }
  };

  const startProxy = async (agentId: string): Promise<Client> => {
    const { apiKey, baseUrl, ...others } = instance.bootstrap;
    const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly bin: Readonly<Record<string, string>> };
    const server = join(dirname(manifest), Object.values(bin)[0]!);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [PROGRAM, 'mcp-proxy', '--agent', agentId, '--', process.execPath, server],
        env: {
          COUNTERSIGN_API_KEY: apiKey,
          COUNTERSIGN_BASE_URL: baseUrl,
          MEMORY_FILE_PATH: join(instance.dataDir, `${others.accountId}.jsonl`),
        },
        stderr: 'ignore',
      }),
    );
    opened.push(client);
    proxies.set(agentId, client);
    return client;
  };

  const runHook = async (agentId: string, input: object): Promise<void> => {
    const { apiKey, baseUrl } = instance.bootstrap;
    const child = spawn(process.execPath, [PROGRAM, 'hook', 'claude-code'], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        TMPDIR: instance.dataDir,
        COUNTERSIGN_API_KEY: apiKey,
        COUNTERSIGN_AGENT_ID: agentId,
        COUNTERSIGN_BASE_URL: baseUrl,
      },
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stdin.end(JSON.stringify(input));
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, said]).toEqual([0, '']);
  };
});
