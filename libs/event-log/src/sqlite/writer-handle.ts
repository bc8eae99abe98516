import { MessageChannel, Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { LogDamaged } from '../port.js';
import type { FromThread, ToThread } from './protocol.js';

/** The opener's handle of the writer thread. */
export interface WriterHandle {
  connect(): MessagePort;
  /** Resolves with the reason when the thread ends unexpectedly: this process can no longer append. */
  readonly died: Promise<Error>;
  /** Commits what has arrived, empties the write-ahead log, ends the thread. Rejects when that fails. */
  close(): Promise<void>;
}

/** Resolves when the file is open and checked; rejects with `LogDamaged` or the error of the file system. */
export async function startWriterThread(file: string, keptFreeBytes: number | null): Promise<WriterHandle> {
  const worker = new Worker(new URL('./writer-thread.js', import.meta.url), {
    workerData: { file, keptFreeBytes },
  });
  let closing = false;
  let problem: string | null = null;
  const exited = new Promise<void>((resolve) => {
    worker.on('error', (error) => {
      problem ??= error.message;
    });
    worker.on('exit', () => resolve());
  });
  const died = new Promise<Error>((resolve) => {
    void exited.then(() => {
      if (!closing) resolve(new Error(`the log-writer thread has ended${problem === null ? '' : `: ${problem}`}`));
    });
  });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', (message: FromThread) => {
      if (message.kind === 'ready') return resolve();
      const text = message.kind === 'failed' ? message.message : 'the log-writer thread closed';
      reject(message.kind === 'failed' && message.name === 'LogDamaged' ? new LogDamaged(text) : new Error(text));
    });
    void exited.then(() => reject(new Error(problem ?? 'the log-writer thread did not start')));
  });
  const send = (message: ToThread, transfer: MessagePort[] = []) => worker.postMessage(message, transfer);
  return {
    connect() {
      const { port1, port2 } = new MessageChannel();
      send({ kind: 'connect', port: port1 }, [port1]);
      return port2;
    },
    died,
    async close() {
      closing = true;
      const closed = new Promise<string | null>((resolve) => {
        worker.once('message', (message: FromThread) => resolve(message.kind === 'closed' ? message.problem : null));
        void exited.then(() => resolve(problem));
      });
      send({ kind: 'close' });
      const wrong = await closed;
      await exited;
      if (wrong !== null) throw new Error(wrong);
    },
  };
}
