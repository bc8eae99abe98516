import { workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { messageOf } from '@countersign/async';
import { connectWriting } from './connection.js';
import type { Connection } from './connection.js';
import { GONE } from './protocol.js';
import type { FromCheckpointer, ToCheckpointer } from './protocol.js';

/**
 * Program of the checkpoint thread: moves the write-ahead log into the file while the writer commits, each run on
 * request. After the first failure it moves nothing.
 */
const { file, port, ended } = workerData as { file: string; port: MessagePort; ended: Int32Array };

let problem: string | null = null;
let connection: Connection | null = null;
function attempt(work: () => void): void {
  if (problem !== null) return;
  try {
    work();
  } catch (error) {
    problem = messageOf(error);
  }
}

process.on('exit', () => {
  Atomics.store(ended, 0, GONE);
  Atomics.notify(ended, 0);
});
attempt(() => {
  connection = connectWriting(file, false);
});
port.on('message', (message: ToCheckpointer) => {
  if (message.kind === 'close') {
    // Also after a failure: the writer is still connected, so this moves nothing. If it stayed open until the end of
    // the thread, this connection could be the last one, and SQLite checkpoints when that closes.
    try {
      connection?.close();
    } catch {
      // The end of the thread drops it.
    }
    return port.close();
  }
  attempt(() => connection?.pragma('wal_checkpoint(PASSIVE)'));
  port.postMessage({ problem } satisfies FromCheckpointer);
  Atomics.add(ended, 0, 1);
  Atomics.notify(ended, 0);
});
