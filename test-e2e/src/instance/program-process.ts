import { spawn, type ChildProcess } from 'node:child_process';
import { guardProcess } from '#infra/processes/guard.js';
import { PROGRAM } from './program.js';

/** Exit of a process. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProgramOptions {
  /** In addition to `PATH`; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Command before node, for example `['taskset', '-c', '0']`. */
  readonly under?: readonly string[];
}

const KEPT_OUTPUT = 100_000;

/** A running `countersign <args>`; it ends with the tests, however these end. */
export class ProgramProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  #output = '';

  constructor(args: readonly string[], { env, under = [] }: ProgramOptions) {
    const [command, ...before] = [...under, process.execPath];
    this.child = spawn(command, [...before, PROGRAM, ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    guardProcess(this.child);
    this.ended = new Promise((resolve) => this.child.once('exit', (code, signal) => resolve({ code, signal })));
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString('utf8')).slice(-KEPT_OUTPUT);
    };
    this.child.stdout?.on('data', keep);
    this.child.stderr?.on('data', keep);
  }

  /** Its output, the last 100,000 characters. */
  get output(): string {
    return this.#output;
  }

  get runs(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Sends the signal if it still runs; resolves with the exit. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}
