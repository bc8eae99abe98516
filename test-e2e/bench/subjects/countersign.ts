import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { json, open } from './http.js';
import { ended, startProgram } from './program.js';
import type { ProgramOptions } from './program.js';

const PROGRAM = fileURLToPath(new URL('../../../../services/standalone/bin/countersign.js', import.meta.url));
/** As set by `npm start`. */
const NODE_ARGUMENTS = ['--max-semi-space-size=32'];
const READY_WITHIN_MS = 120_000;
const STOPPED_WITHIN_MS = 60_000;

/** `bootstrap.json`. */
export interface Bootstrap {
  readonly baseUrl: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly agentId: string;
}

export interface CountersignOptions extends Pick<ProgramOptions, 'core'> {
  readonly dataDir: string;
  /** Without followers, on a data directory that a whole instance has created. */
  readonly gatewayOnly?: boolean;
}

/** A folder for data that is removed when the process ends normally. */
export async function temporaryFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'countersign-bench-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A running instance, used only from outside. */
export class Countersign {
  private constructor(
    readonly child: ChildProcess,
    readonly bootstrap: Bootstrap,
    /** From the start of the process to the first 200 of `/readyz`, ms. */
    readonly startMs: number,
  ) {}

  static async start({ dataDir, core, gatewayOnly = false }: CountersignOptions): Promise<Countersign> {
    const file = join(dataDir, 'bootstrap.json');
    const before = await readFile(file, 'utf8').catch(() => null);
    const startedAt = performance.now();
    const child = startProgram(PROGRAM, ['start', ...(gatewayOnly ? ['--only', 'gateway'] : [])], {
      core,
      nodeArguments: NODE_ARGUMENTS,
      env: {
        COUNTERSIGN_DATA_DIR: dataDir,
        COUNTERSIGN_PORT: '0',
        COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '1',
        COUNTERSIGN_LOG_LEVEL: 'error',
      },
    });
    for (;;) {
      if (child.exitCode !== null) throw new Error('the instance ended before it was ready');
      const bootstrap = await readyAt(file, before);
      const startMs = performance.now() - startedAt;
      if (bootstrap !== null) return new Countersign(child, bootstrap, startMs);
      if (startMs > READY_WITHIN_MS) throw new Error('the instance was not ready in time');
      await sleep(5);
    }
  }

  /** Headers of a new session of the first account's admin. */
  async session(): Promise<{ readonly authorization: string }> {
    const { baseUrl, email, password } = this.bootstrap;
    const { token } = await json<{ token: string }>(baseUrl, 'POST', '/v1/auth/login', {}, { email, password });
    return { authorization: `Bearer ${token}` };
  }

  /** SIGTERM; rejects unless it ends with 0. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const cut = setTimeout(() => this.child.kill('SIGKILL'), STOPPED_WITHIN_MS);
    const code = await ended(this.child);
    clearTimeout(cut);
    if (code !== 0) throw new Error(`the instance ended with ${String(code)}`);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await ended(this.child);
  }
}

/** Puts an account on a plan, while the instance runs. @throws where the command is refused */
export async function setPlan(dataDir: string, accountId: string, plan: string): Promise<void> {
  const command = ['admin', 'set-plan', accountId, plan, '--data-dir', dataDir];
  const code = await ended(startProgram(PROGRAM, command, {}));
  if (code !== 0) throw new Error(`set-plan ended with ${String(code)}`);
}

/** The port changes with every start, so the previous content of the file is ignored. */
async function readyAt(file: string, before: string | null): Promise<Bootstrap | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null || text === before) return null;
  const bootstrap = JSON.parse(text) as Bootstrap;
  const answer = await open(bootstrap.baseUrl, 'GET', '/readyz', {}).catch(() => null);
  answer?.stream.resume();
  return answer?.status === 200 ? bootstrap : null;
}
