import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { openSqliteLog } from './sqlite-log.js';

/** Opens the log over the given port, appends a hundred records, follows the topic and reports. */
const { file, writer } = workerData as { file: string; writer: MessagePort };
const log = await openSqliteLog({ file, writer });
await Promise.all(
  Array.from({ length: 100 }, (_, n) => log.append([{ topic: 'agent-events', key: 'thread', value: `thread ${n}` }])),
);
const consumption = await log.consume({
  group: 'thread',
  topics: ['agents'],
  mode: 'shared',
  position: () => null,
  handle: ({ records }) => parentPort?.postMessage(records.map(({ value }) => String(value)).join()),
});
parentPort?.postMessage('appended');
const obey = async (word: string) => {
  if (word === 'append') {
    const refusal = await log.append([{ topic: 'agents', key: 'k', value: 'late' }]).then(
      () => null,
      (error: unknown) => (error as Error).name,
    );
    parentPort?.postMessage(refusal);
  } else {
    await consumption.stop();
    await log.close();
    parentPort?.close();
  }
};
parentPort?.on('message', (word: string) => void obey(word));
