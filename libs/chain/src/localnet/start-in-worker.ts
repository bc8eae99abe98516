import { Worker } from 'node:worker_threads';
import type { Localnet, LocalnetOptions } from './localnet.js';

/** A clock cannot be passed to another thread. */
export type WorkerOptions = Omit<LocalnetOptions, 'clock'>;

export type WorkerReport =
  | { readonly kind: 'started'; readonly rpcUrl: string; readonly wsUrl: string; readonly genesisHash: string }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string };

/** A network in its own thread. */
export interface WorkerLocalnet extends Localnet {
  /** Resolves with the reason when the thread ends without `close`; never otherwise. */
  readonly died: Promise<Error>;
}

/**
 * Starts the embedded network in a worker thread, so that executing transactions and syncing its ledger do not block
 * the main thread.
 * @throws the network's error, with its name (`NetworkNotBuilt`, `LedgerDamaged`, `LedgerLocked`) and message
 */
export async function startLocalnetInWorker(options: WorkerOptions): Promise<WorkerLocalnet> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: options });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  let closing = false;
  let failure = new Error('The thread of the embedded network ended.');
  const report = await new Promise<WorkerReport>((resolve) => {
    worker.once('message', resolve);
    worker.on('error', (error) => {
      failure = error instanceof Error ? error : new Error(String(error));
      resolve({ kind: 'failed', name: failure.name, message: failure.message });
    });
    void exited.then(() => resolve({ kind: 'failed', name: failure.name, message: failure.message }));
  });
  if (report.kind === 'failed') {
    await exited;
    throw Object.assign(new Error(report.message), { name: report.name });
  }
  const { rpcUrl, wsUrl, genesisHash } = report;
  return {
    rpcUrl,
    wsUrl,
    genesisHash,
    died: new Promise((resolve) => {
      void exited.then(() => {
        if (!closing) resolve(failure);
      });
    }),
    close: async () => {
      if (!closing) worker.postMessage('close');
      closing = true;
      await exited;
    },
  };
}
