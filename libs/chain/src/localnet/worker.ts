/** Entry of a worker thread that runs the embedded network: options in `workerData`, `close` as the only message. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadLocalnet } from './load-localnet.js';
import type { WorkerOptions, WorkerReport } from './start-in-worker.js';

const parent = parentPort;
if (parent === null) throw new Error('This is the entry of a worker thread: use startLocalnetInWorker.');
const report = (message: WorkerReport): void => parent.postMessage(message);

try {
  const { startLocalnet } = await loadLocalnet();
  const localnet = await startLocalnet(workerData as WorkerOptions);
  parent.once('message', () => {
    void localnet.close().then(() => parent.close());
  });
  const { rpcUrl, wsUrl, genesisHash } = localnet;
  report({ kind: 'started', rpcUrl, wsUrl, genesisHash });
} catch (error) {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  report({ kind: 'failed', name, message });
  parent.close();
}
