import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgetGroup, guardFolder, guardGroup } from './guard.js';

/** Instructions for starting a server in a folder of its own. */
export interface Recipe {
  readonly name: string;
  /** Writes its files before the first start; the ports in `command` are those that it listens on. */
  prepare(folder: string): Promise<void> | void;
  command(folder: string): readonly [string, ...string[]];
  /** Resolves to `true` when it serves requests; may reject. */
  answers(): Promise<boolean>;
  readonly readyWithinMs: number;
  /** All instances wait for it: it runs with a higher priority where the system allows that. */
  readonly isAwaitedByAll?: boolean;
}

const STOPS_WITHIN_MS = 10_000;
const ASK_EVERY_MS = 50;
const STARTS = 3;
/** A server that ends by itself more often is broken. */
const KEPT_STARTS = 5;

/** Controls of a started server, for tests. */
export interface Controls {
  readonly process: ServerProcess;
  /** SIGKILL; its data remain. */
  readonly kill: () => Promise<void>;
  /** Restarts it (after SIGTERM if it still runs) with its addresses and data; resolves when it answers. */
  readonly restart: () => Promise<void>;
  /** Ends it and removes its data. */
  readonly stop: () => Promise<void>;
}

export function controls(process: ServerProcess): Controls {
  return {
    process,
    kill: () => process.kill(),
    async restart() {
      await process.terminate();
      await process.run();
    },
    stop: () => process.stop(),
  };
}

/** The process group of a server, with data that survive its end, on fixed addresses. */
export class ServerProcess {
  #child: ChildProcess | null = null;
  /** Called when it ends by itself. */
  #ended: () => void = () => undefined;

  private constructor(
    readonly recipe: Recipe,
    /** Its data and its output (`server.log`). */
    readonly folder: string,
  ) {}

  /**
   * Starts the result of `recipe`, which is called again (for other ports) if the server ends before it answers.
   * @throws Error with the end of its log if it does not answer in time or ended three times.
   */
  static async start(recipe: () => Promise<Recipe>): Promise<ServerProcess> {
    for (let n = 1; ; n += 1) {
      const made = await recipe();
      const folder = mkdtempSync(join(tmpdir(), `countersign-${made.name}-`));
      guardFolder(folder);
      const server = new ServerProcess(made, folder);
      try {
        await made.prepare(folder);
        await server.run();
        return server;
      } catch (error) {
        await server.stop();
        if (n === STARTS) throw error;
      }
    }
  }

  get pid(): number {
    const { pid } = this.#child ?? {};
    if (pid === undefined) throw new Error(`${this.recipe.name} does not run`);
    return pid;
  }

  get runs(): boolean {
    return this.#child !== null;
  }

  get output(): string {
    try {
      return readFileSync(join(this.folder, 'server.log'), 'utf8');
    } catch {
      return '';
    }
  }

  /** Starts it with its addresses and data; resolves when it answers. */
  async run(): Promise<void> {
    if (this.#child !== null) throw new Error(`${this.recipe.name} runs already`);
    const [command, ...args] = this.recipe.command(this.folder);
    const log = openSync(join(this.folder, 'server.log'), 'a');
    const child = spawn(command, args, { cwd: this.folder, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    child.once('error', () => undefined);
    const { pid } = child;
    if (pid === undefined) throw new Error(`${this.recipe.name}: ${command} cannot be run`);
    guardGroup(pid);
    this.#child = child;
    if (this.recipe.isAwaitedByAll === true) prefer(pid);
    child.once('exit', () => {
      // Remaining processes of its group are killed.
      signalGroup(pid, 'SIGKILL');
      forgetGroup(pid);
      if (this.#child !== child) return;
      this.#child = null;
      this.#ended();
    });
    child.unref();
    await this.#answers(child);
  }

  async #answers(child: ChildProcess): Promise<void> {
    const { readyWithinMs } = this.recipe;
    const until = Date.now() + readyWithinMs;
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null) throw this.#failed('ended');
      if (await this.recipe.answers().catch(() => false)) return;
      if (Date.now() > until) throw this.#failed(`did not answer within ${readyWithinMs / 1000} s`);
      await sleep(ASK_EVERY_MS);
    }
  }

  #failed(how: string): Error {
    return new Error(`${this.recipe.name} ${how}\n${this.output.slice(-4000)}`);
  }

  /** Starts it again whenever it ends by itself, until it is ended by a method. @param say gets a sentence on each */
  keep(say: (line: string) => void): void {
    const { name } = this.recipe;
    let starts = 0;
    const again = (): void => {
      starts += 1;
      if (starts > KEPT_STARTS) return say(`${name} ended by itself once more, and is not started again`);
      say(`${name} ended by itself, and is started again. The end of its log:\n${this.output.slice(-2000)}`);
      this.run().catch((error: unknown) => {
        if (this.#ended === again) say(String(error));
      });
    };
    this.#ended = again;
  }

  /** SIGKILL for its whole group; its data remain. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** SIGTERM, and SIGKILL after a timeout; its data remain. */
  async terminate(): Promise<void> {
    const late = setTimeout(() => this.#signal('SIGKILL'), STOPS_WITHIN_MS);
    await this.#end('SIGTERM');
    clearTimeout(late);
  }

  /** SIGSTOP: it keeps its connections and does not answer. */
  pause(): void {
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.#signal('SIGCONT');
  }

  /** Kills it, and removes its data. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#ended = () => undefined;
    child.ref();
    const ended = once(child, 'exit');
    this.#signal(signal);
    await ended;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, signal);
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Users without the privilege may lower a priority alone. */
function prefer(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_ABOVE_NORMAL);
  } catch {
    // It runs as every other process.
  }
}
