import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AnsweredRequest } from './file-calls.js';

const PROGRAM = fileURLToPath(new URL('../../fault-shim/probe.mjs', import.meta.url));

export interface Probe {
  /** Commits the row `number`: resolves to the time of its answer, SQLite's error code, or `null` if the program died. */
  commit(number: number): Promise<AnsweredRequest | string | null>;
  /** Ends it with SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
  readonly ended: Promise<unknown>;
}

/** Starts `probe.mjs` on a database file; resolves when its table exists. */
export async function startProbe(
  database: string,
  synchronous: 'OFF' | 'FULL',
  env: Readonly<Record<string, string>>,
): Promise<Probe> {
  const child = spawn(process.execPath, [PROGRAM, database, synchronous], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string | null> => {
    const line = await lines.next();
    return line.done === true ? null : line.value;
  };
  const first = await next();
  if (first !== 'ready') throw new Error(`the probe did not start: ${first ?? 'no output'}`);
  return {
    async commit(number) {
      child.stdin.write(`${number}\n`);
      const line = await next();
      if (line === null) return null;
      const [word, id = '', a = '', b = ''] = line.split(' ');
      return word === 'ok' ? { id, sentNs: BigInt(a), answeredNs: BigInt(b) } : a;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    ended,
  };
}
