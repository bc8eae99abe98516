import { setTimeout as sleep } from 'node:timers/promises';
import { ProgramProcess } from './program-process.js';

/** `countersign localnet` as a process. */
export interface LocalnetProcess {
  readonly rpcUrl: string;
  end(): Promise<void>;
}

const STARTS_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 20;

/** Starts it on a free port with its ledger in that data directory; resolves when it is ready. */
export async function startLocalnet(dataDir: string): Promise<LocalnetProcess> {
  const localnet = new ProgramProcess(['localnet', '--data-dir', dataDir], { env: { COUNTERSIGN_LOG_LEVEL: 'warn' } });
  for (const until = Date.now() + STARTS_WITHIN_MS; ; await sleep(LOOK_EVERY_MS)) {
    const rpcUrl = /Solana network at (\S+?),/.exec(localnet.output)?.[1];
    if (rpcUrl !== undefined) {
      const end = async (): Promise<void> => void (await localnet.end('SIGKILL'));
      return { rpcUrl, end };
    }
    const why = !localnet.runs ? 'ended' : Date.now() > until ? 'did not start in time' : null;
    if (why === null) continue;
    await localnet.end('SIGKILL');
    throw new Error(`the network ${why}\n${localnet.output}`);
  }
}
