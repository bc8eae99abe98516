import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** `bootstrap.json`. */
export interface Bootstrap {
  readonly baseUrl: string;
  readonly mcpUrl: string;
  readonly solanaRpcUrl: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly accountId: string;
  readonly agentId: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; `undefined` where there is none or it is no JSON. */
  readonly json: unknown;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Uint8Array;
}

export interface StartOptions {
  /** Default: a new temporary folder. */
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Wait until ready; default true. */
  readonly wait?: boolean;
  /** Program before node, for example `['taskset', '-c', '0']`. */
  readonly under?: readonly string[];
}

/** The command-line program, run as its users run it. */
export const PROGRAM = fileURLToPath(new URL('../../../services/standalone/bin/countersign.js', import.meta.url));

const READY_WITHIN_MS = 60_000;
const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** A running standalone process, seen from outside alone. */
export class Instance {
  #ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  #output = '';
  #bootstrap: Bootstrap | null = null;

  private constructor(
    readonly child: ChildProcess,
    readonly dataDir: string,
    readonly startedAt: number,
  ) {
    this.#ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString('utf8')).slice(-100_000);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
  }

  static async start(options: StartOptions = {}): Promise<Instance> {
    const dataDir = options.dataDir ?? join(mkdtempSync(join(tmpdir(), 'countersign-e2e-')), 'data');
    const [command, ...before] = [...(options.under ?? []), process.execPath];
    const child = spawn(command, [...before, PROGRAM, 'start'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        COUNTERSIGN_DATA_DIR: dataDir,
        COUNTERSIGN_PORT: '0',
        COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '1',
        COUNTERSIGN_LOG_LEVEL: 'warn',
        // A stalled disk of the test machine is not what a test asks about, unless it sets its own deadline.
        COUNTERSIGN_CHECK_DEADLINE_MS: '10000',
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const instance = new Instance(child, dataDir, Date.now());
    if (options.wait !== false) await instance.ready();
    return instance;
  }

  /** What it printed, the last 100,000 characters. */
  get output(): string {
    return this.#output;
  }

  get bootstrap(): Bootstrap {
    if (this.#bootstrap === null) throw new Error('the instance is not ready');
    return this.#bootstrap;
  }

  /** Resolves when `/readyz` says so with this process's own address. */
  async ready(): Promise<void> {
    const until = Date.now() + READY_WITHIN_MS;
    while (Date.now() < until) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the instance ended before it was ready\n${this.#output}`);
      const found = this.#readBootstrap();
      if (found !== null && (await this.#answersReady(found))) {
        this.#bootstrap = found;
        return;
      }
      await sleep(25);
    }
    throw new Error(`the instance was not ready in time\n${this.#output}`);
  }

  #readBootstrap(): Bootstrap | null {
    try {
      return JSON.parse(readFileSync(join(this.dataDir, 'bootstrap.json'), 'utf8')) as Bootstrap;
    } catch {
      return null;
    }
  }

  async #answersReady(found: Bootstrap): Promise<boolean> {
    try {
      return (await send(found.baseUrl, 'GET', '/readyz', {})).status === 200;
    } catch {
      return false;
    }
  }

  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return send(this.bootstrap.baseUrl, method, path, options);
  }

  /** A check with the first account's key and agent. */
  check(
    action: unknown,
    more: { readonly agentId?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    return this.request('POST', '/v1/check', {
      headers: { 'x-service-key': this.bootstrap.apiKey, ...more.headers },
      body: { agentId: more.agentId ?? this.bootstrap.agentId, action },
    });
  }

  /** Headers of a new session of the first account's admin. */
  async session(): Promise<{ readonly authorization: string }> {
    const { email, password } = this.bootstrap;
    const answer = await this.request('POST', '/v1/auth/login', { body: { email, password } });
    if (answer.status !== 200) throw new Error(`login: ${answer.status} ${answer.text}`);
    return { authorization: `Bearer ${(answer.json as { token: string }).token}` };
  }

  /** SIGTERM, and how it ended. */
  stop(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
    this.child.kill('SIGTERM');
    return this.#ended;
  }

  /** SIGKILL. */
  kill(): Promise<unknown> {
    this.child.kill('SIGKILL');
    return this.#ended;
  }

  get ended(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
    return this.#ended;
  }

  /** Stops it if it runs and removes its files. */
  async discard(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.kill();
    rmSync(join(this.dataDir, '..'), { recursive: true, force: true });
  }
}

export function send(baseUrl: string, method: string, path: string, options: RequestOptions): Promise<Answer> {
  const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      new URL(path, baseUrl),
      {
        method,
        agent,
        headers: {
          ...(payload === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
          ...(options.headers as Record<string, string | string[]>),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Polls until `probe` gives something; throws after `seconds`. */
export async function eventually<T>(what: string, seconds: number, probe: () => Promise<T | null>): Promise<T> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const found = await probe();
    if (found !== null) return found;
    if (Date.now() > until) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(50);
  }
}
