import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openSqliteLog } from './sqlite-log.js';
import type { SqliteLog } from './sqlite-log.js';

let directory: string;
let file: string;
let log: SqliteLog;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'event-log-'));
  file = join(directory, 'log.db');
  log = await openSqliteLog({ file });
});
afterEach(async () => {
  await log.close();
  rmSync(directory, { recursive: true });
});

function startOther(): Worker {
  const writer = log.connectPort();
  return new Worker(new URL('./other-thread.test-program.js', import.meta.url), {
    workerData: { file, writer },
    transferList: [writer],
  });
}
const said = async (worker: Worker): Promise<unknown> => (await once(worker, 'message'))[0];

describe('the writer thread', () => {
  const NOT_A_MESSAGE = { kind: 'append' };

  it('is reported as dead, with the reason, and nothing is appended any more', async () => {
    const writer = log.connectPort();
    await log.append([{ topic: 'agents', key: 'k', value: 'before' }]);
    writer.postMessage(NOT_A_MESSAGE);
    expect((await log.died).message).toMatch(/^the log-writer thread has ended: .+/u);
    expect(log.refusing()).toMatch(/^the log-writer thread has ended/u);
    await expect(log.append([{ topic: 'agents', key: 'k', value: 'after' }])).rejects.toThrow('has ended');
    await expect(log.close()).rejects.toThrow('not iterable');
    writer.close();
    log = await openSqliteLog({ file });
    const values = (await log.read('agents', 0, 0, 10)).map(({ value }) => String(value));
    expect(values).toEqual(['before']);
  });

  it('does not count as dead when it was closed', async () => {
    await log.close();
    const outcome = await Promise.race([log.died, new Promise((resolve) => setTimeout(resolve, 50, 'closed'))]);
    expect(outcome).toBe('closed');
  });
});

describe('several threads', () => {
  it('append through one writer thread and wake each other', async () => {
    const own = Promise.all(
      Array.from({ length: 100 }, (_, n) => log.append([{ topic: 'agent-events', key: 'own', value: `own ${n}` }])),
    );
    const other = startOther();
    expect(await said(other)).toBe('appended');
    await own;
    const records = await log.read('agent-events', 0, 0, 1000);
    for (const key of ['own', 'thread']) {
      const values = records.filter((read) => read.key === key).map(({ value }) => String(value));
      expect(values).toEqual(Array.from({ length: 100 }, (_, n) => `${key} ${n}`));
    }
    const woken = said(other);
    await log.append([{ topic: 'agents', key: 'k', value: 'wake' }]);
    expect(await woken).toBe('wake');
    const exited = once(other, 'exit');
    other.postMessage('stop');
    await exited;
  });

  it('pass a partition on when a thread ends without leaving its group', async () => {
    const other = startOther();
    expect(await said(other)).toBe('appended');
    const values: string[] = [];
    const consumption = await log.consume({
      group: 'thread',
      topics: ['agents'],
      mode: 'shared',
      position: () => null,
      handle: ({ records }) => void values.push(...records.map(({ value }) => String(value))),
    });
    const taken = said(other);
    await log.append([{ topic: 'agents', key: 'k', value: '1' }]);
    expect(await taken).toBe('1');
    expect(values).toEqual([]);
    await other.terminate();
    while (values.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(values).toEqual(['1']);
    await consumption.stop();
  });

  it('are refused once the opener has closed the log', async () => {
    const other = startOther();
    expect(await said(other)).toBe('appended');
    await log.close();
    other.postMessage('append');
    expect(await said(other)).toBe('LogRefused');
    const exited = once(other, 'exit');
    other.postMessage('stop');
    await exited;
  });

  it('leave nothing pending when a thread ends midway', async () => {
    const other = startOther();
    await said(other);
    await other.terminate();
    await expect(log.append([{ topic: 'agents', key: 'k', value: '2' }])).resolves.toHaveLength(1);
  });
});
