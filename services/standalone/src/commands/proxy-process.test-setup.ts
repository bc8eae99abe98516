import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../bin/countersign.js', import.meta.url));
export const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
export const EVENT = '01890a5d-ac96-774b-bcce-b302099a8057';

/** Answer of the played service; `null`: everything is allowed. */
export type Answer = (path: string, body: Readonly<Record<string, unknown>>) => readonly [number, unknown] | null;

/** A played service. */
export class PlayedService {
  answer: Answer = () => null;
  readonly asked: { readonly path: string; readonly body: Readonly<Record<string, unknown>> }[] = [];
  readonly #server: Server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
      const path = request.url ?? '';
      this.asked.push({ path, body });
      const said = this.answer(path, body);
      if (said === null) return;
      response.writeHead(said[0], { 'content-type': 'application/json', 'x-event-id': EVENT });
      response.end(typeof said[1] === 'string' ? said[1] : JSON.stringify(said[1]));
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export const ALLOW: Answer = (path) => [
  path === '/v1/mcp/log' ? 201 : 200,
  path === '/v1/mcp/tools' ? { tools: [] } : { allowed: true },
];

/** `countersign mcp-proxy` as a client starts it. */
export class ProxyProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  stderr = '';
  readonly #lines: string[] = [];
  #arrived: () => void = () => undefined;

  /**
   * @param server a program that Node runs as the server
   * @param options of the command
   */
  constructor(
    baseUrl: string,
    server: string,
    environment: Readonly<Record<string, string>> = {},
    options: readonly string[] = [],
  ) {
    const args = [PROGRAM, 'mcp-proxy', ...options, '--', process.execPath, '--input-type=module', '-e', server];
    this.child = spawn(process.execPath, args, {
      env: {
        COUNTERSIGN_API_KEY: 'csn_live_key',
        COUNTERSIGN_AGENT_ID: AGENT,
        COUNTERSIGN_BASE_URL: baseUrl,
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      this.#lines.push(line);
      this.#arrived();
    });
    this.ended = new Promise((resolve) => this.child.once('close', (code) => resolve(code)));
  }

  send(message: unknown): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** The next message for the client. */
  async next(): Promise<unknown> {
    while (this.#lines.length === 0) await new Promise<void>((resolve) => (this.#arrived = resolve));
    return JSON.parse(this.#lines.shift()!) as unknown;
  }
}

/** A server that names itself and answers each call with its arguments. */
export const ECHO = `
import { createInterface } from 'node:readline';
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
say({ method: 'notifications/started', params: { pid: process.pid, key: process.env.COUNTERSIGN_API_KEY ?? null, own: process.env.OWN ?? null } });
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'die') process.exit(params.code);
  if (method === 'tools/call' && params.name === 'wait') return;
  if (id !== undefined) say({ id, result: { content: [{ type: 'text', text: JSON.stringify(params?.arguments ?? null) }] } });
});
`;
