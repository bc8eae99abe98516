import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readBootstrap, type Bootstrap } from '@countersign/cli';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';

/** An instance in a temporary folder, removed when it is stopped. */
export interface ThrowAwayInstance {
  readonly bootstrap: Bootstrap;
  /** Folder for files of the demonstration, removed with the instance. */
  readonly folder: string;
  /** Milliseconds from the start of the process to its readiness. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('../../bin/countersign.js', import.meta.url));
const READY_WITHIN_MS = 30_000;

/** Starts one with windows of one second. @throws CommandFailed 1 with its output if it does not get ready */
export async function startThrowAwayInstance(): Promise<ThrowAwayInstance> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-demo-'));
  const dataDir = join(folder, 'data');
  const started = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'start'], {
    cwd: folder,
    // A minimal environment: the settings of the calling shell must not apply.
    env: {
      COUNTERSIGN_DATA_DIR: dataDir,
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '1',
      COUNTERSIGN_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => {
    printed = (printed + chunk.toString('utf8')).slice(-4000);
  });
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const bootstrap = await ready(child, dataDir);
    const stop = async (): Promise<void> => {
      await ended(child);
      await remove();
    };
    return { bootstrap, folder, readyMs: performance.now() - started, stop };
  } catch {
    await ended(child);
    await remove();
    throw new CommandFailed(EXIT.wrong, `the instance did not get ready\n${printed}`);
  }
}

async function ready(child: ChildProcess, dataDir: string): Promise<Bootstrap> {
  for (let waited = 0; waited < READY_WITHIN_MS; waited += 50) {
    if (child.exitCode !== null) throw new Error('it ended');
    await sleep(50);
    const bootstrap = await readBootstrap(dataDir).catch(() => null);
    if (bootstrap !== null) return bootstrap;
  }
  throw new Error('it took too long');
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const last = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(last);
}
