import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  CreateMessageRequestSchema,
  CreateMessageResultSchema,
  ListToolsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CheckResult } from '@countersign/client';
import { connectHttp } from './http-server.js';
import { runProxy } from './run.js';
import { ToolGuard } from './tool-guard.js';

const inputSchema = { type: 'object' as const };

/** A server of the official SDK at an address: sessions, streams, and a request of its own during a call. */
class PlayedServer {
  readonly asked: IncomingMessage['headers'][] = [];
  refuse = false;
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>();
  readonly #http: HttpServer = createServer((request, response) => {
    this.asked.push(request.headers);
    if (this.refuse) return void response.writeHead(401).end('who are you?');
    const session = request.headers['mcp-session-id'];
    if (session !== undefined && !this.#sessions.has(String(session))) return void response.writeHead(404).end();
    return void this.#transport(String(session)).then((transport) => transport.handleRequest(request, response));
  });

  async start(): Promise<URL> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return new URL(`http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`);
  }

  /** Ends every session. */
  forget(): void {
    this.#sessions.clear();
  }

  async stop(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #transport(session: string): Promise<StreamableHTTPServerTransport> {
    const known = this.#sessions.get(session);
    if (known !== undefined) return known;
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#sessions.set(id, transport),
    });
    const server = new Server({ name: 'played', version: '1' }, { capabilities: { tools: {}, logging: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: ['ask', 'wire'].map((name) => ({ name, inputSchema })),
    }));
    server.setRequestHandler(CallToolRequestSchema, async (_request, { sendRequest, sendNotification }) => {
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'under way' } });
      const asked = { method: 'sampling/createMessage' as const, params: { messages: [], maxTokens: 1 } };
      const { model } = await sendRequest(asked, CreateMessageResultSchema);
      return { content: [{ type: 'text', text: `asked ${model}` }] };
    });
    await server.connect(transport);
    return transport;
  }
}

describe('a server at an address', () => {
  const played = new PlayedServer();
  let url: URL;
  beforeAll(async () => {
    url = await played.start();
  });
  beforeEach(() => {
    played.refuse = false;
    played.asked.length = 0;
  });
  afterAll(() => played.stop());

  const proxied = async (): Promise<{
    client: Client;
    logged: unknown[];
    ended: Promise<number>;
    leave: () => void;
    notes: () => string;
  }> => {
    const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const service = {
      check: ({ toolName }: { toolName?: string }): Promise<CheckResult> =>
        Promise.resolve({ allowed: toolName !== 'wire', reason: 'off limits' }),
      scan: (): Promise<CheckResult> => Promise.resolve({ allowed: true }),
      reportOutcome: () => Promise.resolve(),
    };
    const rules = { offLimits: () => Promise.resolve(new Set(['wire'])) };
    const ended = runProxy({
      guard: (note) => new ToolGuard(service, rules, note),
      baseUrl: 'http://service.example',
      connect: (on) => connectHttp({ url, headers: { authorization: 'Bearer token' } }, on),
      input,
      output,
      errors,
      signal: new AbortController().signal,
    });
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { sampling: {} } });
    const logged: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      model: 'a model',
      role: 'assistant' as const,
      content: { type: 'text' as const, text: '' },
    }));
    // The transport of servers reads and writes lines, so it serves for a client as well.
    await client.connect(new StdioServerTransport(output, input));
    let notes = '';
    errors.on('data', (chunk: Buffer) => (notes += chunk.toString('utf8')));
    return { client, logged, ended, leave: () => void input.end(), notes: () => notes };
  };

  it('receives the given headers; calls, its own requests and notifications pass', async () => {
    const { client, logged, ended, leave } = await proxied();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['ask']);
    expect(await client.callTool({ name: 'ask' })).toMatchObject({ content: [{ text: 'asked a model' }] });
    expect(logged).toEqual(['under way']);
    expect(await client.callTool({ name: 'wire' })).toMatchObject({ isError: true });
    expect(played.asked.every(({ authorization }) => authorization === 'Bearer token')).toBe(true);
    expect(played.asked.at(-1)).toMatchObject({ 'mcp-protocol-version': '2025-11-25' });
    leave();
    expect(await ended).toBe(0);
  });

  it('that refuses is reported, without its unscanned body', async () => {
    const { client, ended, leave, notes } = await proxied();
    played.refuse = true;
    await expect(client.ping()).rejects.toThrow(/failed \(it answered with the status 401\)$/u);
    const text = expect.stringMatching(/was called, but .* the server at .* failed .*status 401\)/u);
    expect(await client.callTool({ name: 'ask' })).toMatchObject({ isError: true, content: [{ text }] });
    expect(notes()).toContain('who are you?');
    leave();
    expect(await ended).toBe(0);
  });

  it('that lost the session ends the proxy, so that the client opens a new one', async () => {
    const { client, ended } = await proxied();
    played.forget();
    expect(await client.callTool({ name: 'ask' })).toMatchObject({ isError: true });
    expect(await ended).toBe(1);
  });
});
