import { spawn } from 'node:child_process';
import { guardProcess } from '#infra/processes/guard.js';
import { PROGRAM } from './program.js';

/** `countersign localnet`, in a process of its own. */
export interface LocalnetProcess {
  readonly rpcUrl: string;
  end(): Promise<void>;
}

const STARTS_WITHIN_MS = 30_000;

/** Starts it on a free port with its ledger in that data directory; resolves when it serves. */
export function startLocalnet(dataDir: string): Promise<LocalnetProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, 'localnet', '--data-dir', dataDir], {
      env: { PATH: process.env['PATH'] ?? '', COUNTERSIGN_LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    guardProcess(child);
    const ended = new Promise<void>((end) => child.once('exit', () => end()));
    let output = '';
    const failed = (why: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`the network ${why}\n${output}`));
    };
    const late = setTimeout(() => failed('did not start in time'), STARTS_WITHIN_MS);
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-10_000);
      const rpcUrl = /Solana network at (\S+?),/.exec(output)?.[1];
      if (rpcUrl === undefined) return;
      clearTimeout(late);
      resolve({
        rpcUrl,
        async end() {
          child.kill('SIGKILL');
          await ended;
        },
      });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('exit', (code) => failed(`ended with ${String(code)}`));
  });
}
