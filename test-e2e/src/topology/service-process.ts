import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardProcess } from '#infra/processes/guard.js';
import { PROGRAM } from '../instance/program.js';
import { send } from '../instance/request.js';

/** What can run in a process of its own. */
export type ServiceName = 'gateway' | 'identity' | 'policy' | 'audit-log' | 'anchoring' | 'reporting' | 'verification';

/** An idle machine needs three seconds for one and fifteen for a dozen at once. */
const READY_WITHIN_MS = 150_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One process of a service, or of several, on an address that stays when it is started again. */
export class ServiceProcess {
  #child: ChildProcess | null = null;
  #ended: Promise<Ended> = Promise.resolve({ code: null, signal: null });
  #output = '';

  constructor(
    readonly services: readonly ServiceName[],
    readonly port: number,
    /** Its probes answer there from the first moment; `port` opens when it is ready. */
    readonly probesPort: number,
    readonly env: Readonly<Record<string, string>>,
    /** Program before node, for example `['taskset', '-c', '0']`. */
    readonly under: readonly string[] = [],
  ) {}

  /** Its names, for messages. */
  get service(): string {
    return this.services.join('+');
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get probesUrl(): string {
    return `http://127.0.0.1:${this.probesPort}`;
  }

  /** What it printed, the last 100,000 characters. */
  get output(): string {
    return this.#output;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get runs(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  start(): void {
    if (this.runs) throw new Error(`${this.service} runs already`);
    const [command, ...before] = [...this.under, process.execPath];
    const child = spawn(command, [...before, PROGRAM, 'start', ...this.services], {
      env: {
        PATH: process.env['PATH'] ?? '',
        ...this.env,
        COUNTERSIGN_PORT: String(this.port),
        COUNTERSIGN_PROBES_PORT: String(this.probesPort),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    guardProcess(child);
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString('utf8')).slice(-100_000);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
  }

  /** What `/readyz` says; `null` while nothing answers. */
  async readiness(): Promise<{ readonly ready: boolean; readonly waitingFor?: readonly string[] } | null> {
    try {
      const answer = await send(this.probesUrl, 'GET', '/readyz', {});
      return answer.json as { readonly ready: boolean; readonly waitingFor?: readonly string[] };
    } catch {
      return null;
    }
  }

  /** @throws Error with its output when it ends or is not ready in time */
  async ready(withinMs = READY_WITHIN_MS): Promise<void> {
    const until = Date.now() + withinMs;
    let last: unknown = null;
    while (Date.now() < until) {
      if (!this.runs) throw new Error(`${this.service} ended before it was ready\n${this.#output}`);
      const found = await this.readiness();
      if (found?.ready === true) return;
      last = found;
      await sleep(50);
    }
    throw new Error(`${this.service} was not ready in time: ${JSON.stringify(last)}\n${this.#output}`);
  }

  /** SIGTERM, and how it ended. */
  stop(): Promise<Ended> {
    this.#child?.kill('SIGTERM');
    return this.#ended;
  }

  /** SIGKILL. */
  kill(): Promise<Ended> {
    this.#child?.kill('SIGKILL');
    return this.#ended;
  }
}
