import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countersign, type Ran } from './command.js';
import { checkAt, makeFirstAccount, sessionAt, type Bootstrap, type CheckOptions } from './first-account.js';
import { embeddedInstallation, newDataDir, type Installation } from './installation.js';
import { ProgramProcess, type Ended } from './program-process.js';
import { repeated, send, type Answer, type RequestOptions } from './request.js';

export interface StartOptions {
  /** Default: a new temporary folder. */
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Wait until ready; default true. */
  readonly wait?: boolean;
  /** Command before node, for example `['taskset', '-c', '0']`. */
  readonly under?: readonly string[];
}

/** A target of requests like an instance, possibly behind a proxy. */
export type Asked = Pick<Instance, 'bootstrap' | 'request' | 'check'>;

const READY_WITHIN_MS = 60_000;

/** A running standalone process, used only from outside. */
export class Instance {
  #bootstrap: Bootstrap | null = null;

  private constructor(
    readonly process: ProgramProcess,
    readonly installation: Installation,
    readonly startedAt: number,
  ) {}

  /** On the embedded profile. */
  static start(options: StartOptions = {}): Promise<Instance> {
    return Instance.startOn(embeddedInstallation(options.dataDir ?? newDataDir()), options);
  }

  static async startOn(installation: Installation, options: Omit<StartOptions, 'dataDir'> = {}): Promise<Instance> {
    const started = new ProgramProcess(['start'], {
      ...(options.under === undefined ? {} : { under: options.under }),
      env: {
        COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '1',
        COUNTERSIGN_LOG_LEVEL: 'warn',
        // Unless a test sets its own deadline, a stalled disk of the test machine must not fail it.
        COUNTERSIGN_CHECK_DEADLINE_MS: '10000',
        ...installation.env,
        ...options.env,
      },
    });
    const instance = new Instance(started, installation, Date.now());
    if (options.wait === false) return instance;
    try {
      await instance.ready();
    } catch (error) {
      await instance.kill();
      throw error;
    }
    return instance;
  }

  /** Starts another one on the data of this one, which has ended. */
  startAgain(options: Omit<StartOptions, 'dataDir'> = {}): Promise<Instance> {
    return Instance.startOn(this.installation, options);
  }

  get dataDir(): string {
    return this.installation.dataDir;
  }

  get child(): ChildProcess {
    return this.process.child;
  }

  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error('the instance does not run');
    return pid;
  }

  /** Its output, the last 100,000 characters. */
  get output(): string {
    return this.process.output;
  }

  get bootstrap(): Bootstrap {
    if (this.#bootstrap === null) throw new Error('the instance is not ready');
    return this.#bootstrap;
  }

  /** Resolves when `/readyz` returns 200 at this process's own address, and there is an account. */
  async ready(): Promise<void> {
    const { baseUrl } = this.installation;
    const until = Date.now() + READY_WITHIN_MS;
    while (Date.now() < until) {
      if (!this.process.runs)
        throw new Error(`the instance ended before it was ready, ${await this.#how()}\n${this.output}`);
      const found = this.#readBootstrap();
      const address = baseUrl ?? found?.baseUrl;
      if (address !== undefined && (await answersReady(address))) {
        this.#bootstrap = baseUrl === null && found !== null ? found : await this.#makeAccount();
        return;
      }
      await sleep(25);
    }
    throw new Error(`the instance was not ready in time\n${this.output}`);
  }

  async #how(): Promise<string> {
    const { code, signal } = await this.ended;
    return signal === null ? `with ${String(code)}` : `by ${signal}`;
  }

  #readBootstrap(): Bootstrap | null {
    try {
      return JSON.parse(readFileSync(join(this.dataDir, 'bootstrap.json'), 'utf8')) as Bootstrap;
    } catch {
      return null;
    }
  }

  async #makeAccount(): Promise<Bootstrap> {
    try {
      return await makeFirstAccount(this.installation.env);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.output}`, { cause: error });
    }
  }

  /** `countersign <args>` with the settings of this instance. */
  command(...args: readonly string[]): Promise<Ran> {
    return countersign(args, this.installation.env);
  }

  /** On servers that all tests keep busy, what is answered with “try again” is repeated. */
  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const request = (): Promise<Answer> => send(this.bootstrap.baseUrl, method, path, options);
    return this.installation.sharesServers ? repeated(request) : request();
  }

  /** A check with the first account's key and agent. */
  check(action: unknown, more: CheckOptions = {}): Promise<Answer> {
    return checkAt(this, action, more);
  }

  /** Headers of a new session of the first account's admin. */
  session(): Promise<{ readonly authorization: string }> {
    return sessionAt(this);
  }

  /** Sends SIGTERM; resolves with the exit. */
  async stop(): Promise<Ended> {
    const ended = await this.process.end('SIGTERM');
    if (ended.code !== 0)
      process.stderr.write(`ended with ${String(ended.code)}:\n${this.process.output.slice(-4000)}\n`);
    return ended;
  }

  /** SIGKILL. */
  kill(): Promise<Ended> {
    return this.process.end('SIGKILL');
  }

  get ended(): Promise<Ended> {
    return this.process.ended;
  }

  /** Stops it if it runs and removes its files. */
  async discard(): Promise<void> {
    await this.kill();
    await this.installation.discard();
  }
}

async function answersReady(baseUrl: string): Promise<boolean> {
  try {
    return (await send(baseUrl, 'GET', '/readyz', {})).status === 200;
  } catch {
    return false;
  }
}
