import { setTimeout as sleep } from 'node:timers/promises';
import { ProgramProcess, type Ended } from '../instance/program-process.js';
import { send } from '../instance/request.js';

/** Services that can run in a process of their own. */
export type ServiceName =
  | 'gateway'
  | 'identity'
  | 'policy'
  | 'audit-log'
  | 'alerts'
  | 'anchoring'
  | 'reporting'
  | 'verification'
  | 'mcp'
  | 'console';

/** An idle machine needs three seconds for one and fifteen for a dozen at once. */
const READY_WITHIN_MS = 150_000;

const NEVER_RAN: Ended = { code: null, signal: null };
const KEPT_OUTPUT = 100_000;

/** One process of a service, or of several, on an address that is kept over restarts. */
export class ServiceProcess {
  #process: ProgramProcess | null = null;
  /** Output of the previous runs. */
  #output = '';

  constructor(
    readonly services: readonly ServiceName[],
    readonly port: number,
    /** Probes answer there from the start; `port` opens when it is ready. */
    readonly probesPort: number,
    readonly env: Readonly<Record<string, string>>,
    /** Command before node, for example `['taskset', '-c', '0']`. */
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

  /** Its output of all runs, the last 100,000 characters. */
  get output(): string {
    return (this.#output + (this.#process?.output ?? '')).slice(-KEPT_OUTPUT);
  }

  get pid(): number | null {
    return this.#process?.child.pid ?? null;
  }

  get runs(): boolean {
    return this.#process?.runs ?? false;
  }

  start(): void {
    if (this.runs) throw new Error(`${this.service} runs already`);
    this.#output = this.output;
    this.#process = new ProgramProcess(['start', ...this.services], {
      under: this.under,
      env: {
        ...this.env,
        COUNTERSIGN_PORT: String(this.port),
        COUNTERSIGN_PROBES_PORT: String(this.probesPort),
      },
    });
  }

  /** Body of `/readyz`; `null` if it does not answer. */
  async readiness(): Promise<{ readonly ready: boolean; readonly waitingFor?: readonly string[] } | null> {
    try {
      const answer = await send(this.probesUrl, 'GET', '/readyz', {});
      return answer.json as { readonly ready: boolean; readonly waitingFor?: readonly string[] };
    } catch {
      return null;
    }
  }

  /** @throws Error with its output if it ends or is not ready in time */
  async ready(withinMs = READY_WITHIN_MS): Promise<void> {
    const until = Date.now() + withinMs;
    let last: unknown = null;
    while (Date.now() < until) {
      if (!this.runs) throw new Error(`${this.service} ended before it was ready\n${this.output}`);
      const found = await this.readiness();
      if (found?.ready === true) return;
      last = found;
      await sleep(50);
    }
    throw new Error(`${this.service} was not ready in time: ${JSON.stringify(last)}\n${this.output}`);
  }

  /** Sends SIGTERM; resolves with the exit. */
  async stop(): Promise<Ended> {
    return this.#process?.end('SIGTERM') ?? NEVER_RAN;
  }

  /** SIGKILL. */
  async kill(): Promise<Ended> {
    return this.#process?.end('SIGKILL') ?? NEVER_RAN;
  }
}
