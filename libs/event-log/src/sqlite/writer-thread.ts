import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '@countersign/async';
import { LogDamaged } from '../port.js';
import { Checkpointer } from './checkpointer.js';
import { isDamage } from './connection.js';
import { DiskSpace } from './disk-space.js';
import { LogFile } from './log-file.js';
import { openForWriting } from './open-file.js';
import type { FromThread, ToThread } from './protocol.js';
import { WriterLoop } from './writer-loop.js';

const parent = parentPort;
if (parent === null) throw new Error('this file runs as the worker thread of openSqliteLog');
const send = (message: FromThread) => parent.postMessage(message);

let loop: WriterLoop | null = null;
const { file, keptFreeBytes } = workerData as { file: string; keptFreeBytes: number | null };
const open = (): LogFile => {
  const connection = openForWriting(file, Date.now());
  return new LogFile(connection, file, new Checkpointer(file, () => loop?.checkpoint()));
};
try {
  loop = new WriterLoop(open(), open, new DiskSpace(dirname(file), keptFreeBytes));
  send({ kind: 'ready' });
} catch (error) {
  const name = error instanceof LogDamaged || isDamage(error) ? 'LogDamaged' : 'Error';
  const problem = messageOf(error);
  send({ kind: 'failed', name, message: `${problem.includes(file) ? '' : `${file}: `}${problem}` });
  parent.close();
}

if (loop !== null) {
  const running = loop;
  parent.on('message', (message: ToThread) => {
    if (message.kind === 'connect') return running.connect(message.port);
    const problem = running.close();
    send({ kind: 'closed', problem });
    parent.close();
  });
}
