import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** True if processes can be pinned to a core on this machine. */
export function canPin(): boolean {
  return spawnSync('taskset', ['-c', '0', 'true'], { stdio: 'ignore' }).status === 0;
}

export interface ProgramOptions {
  /** The core to pin it to; default: none. */
  readonly core?: number | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** For Node itself. */
  readonly nodeArguments?: readonly string[];
}

/** Starts a Node program; its stderr is shown. `send` sends it messages. */
export function startProgram(file: string, args: readonly string[], options: ProgramOptions): ChildProcess {
  const node = [process.execPath, ...(options.nodeArguments ?? []), file, ...args];
  const [command, ...rest] = options.core === undefined ? node : ['taskset', '-c', String(options.core), ...node];
  return spawn(command!, rest, {
    env: { PATH: process.env['PATH'] ?? '', ...options.env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Resolves when it has ended. */
export function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}
