import { MessageChannel, Worker } from 'node:worker_threads';
import type { Config } from '@countersign/process';
import type { EmbeddedBackends } from '@countersign/service-kit';
import { answerCalls, Caller } from './calls.js';
import type { EdgeCalls, WorkerCalls, WorkerInput } from './services-worker.js';

export interface ServicesThread {
  readonly calls: Caller<WorkerCalls>;
  /** Resolves with the reason when the thread ended without `stop`. */
  readonly died: Promise<Error>;
  stop(): Promise<void>;
}

/** Starts every service but the gateway in a thread of its own, with one HTTP server on a unix socket. */
export function startServicesThread(
  config: Config,
  backends: EmbeddedBackends,
  socketPath: string,
  services: readonly string[],
  edge: EdgeCalls,
): ServicesThread {
  const { shared, transfer } = backends.share();
  const { port1: here, port2: there } = new MessageChannel();
  answerCalls(
    { listen: (listener) => here.on('message', listener), post: (message) => here.postMessage(message) },
    edge,
  );
  here.unref();
  const input: WorkerInput = { config, shared, socketPath, services, edge: there };
  const worker = new Worker(new URL('./services-worker.js', import.meta.url), {
    workerData: input,
    transferList: [...transfer, there],
  });
  const calls = new Caller<WorkerCalls>({
    listen: (listener) => worker.on('message', listener),
    post: (message) => worker.postMessage(message),
  });
  let stopping = false;
  let failure: Error | null = null;
  worker.on('error', (error) => {
    failure = error instanceof Error ? error : new Error(String(error));
  });
  const exited = new Promise<Error>((resolve) => {
    worker.once('exit', () => resolve(failure ?? new Error('the thread of the services ended')));
  });
  void exited.then((error) => calls.fail(error));
  // Without a network there is no address: calls that wait for it fail, and delay neither start nor stop.
  const urls = backends.rpcUrls.catch(() => []);
  void urls.then((found) => calls.call('rpcUrls', found)).catch(() => undefined);
  return {
    calls,
    died: new Promise((resolve) => {
      void exited.then((error) => {
        if (!stopping) resolve(error);
      });
    }),
    async stop() {
      stopping = true;
      await calls.call('stop', undefined);
      await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
      await worker.terminate();
    },
  };
}
