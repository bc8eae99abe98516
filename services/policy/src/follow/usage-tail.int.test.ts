import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from '@countersign/event-log';
import type { SqliteLog } from '@countersign/event-log';
import { createLogger, readVersionedRecord, versionedRecord } from '@countersign/service-kit';
import { UsageTail } from './usage-tail.js';

describe('the tail of usage', () => {
  let directory: string;
  let eventLog: SqliteLog;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'usage-tail-'));
    eventLog = await openSqliteLog({ file: join(directory, 'log.db') });
  });
  afterEach(async () => {
    await eventLog.close();
    rmSync(directory, { recursive: true });
  });

  const append = (id: string, version: number) =>
    eventLog.append([versionedRecord('usage', id, version, { is: version })]);
  const all = async () =>
    (await eventLog.read('usage', 0, 0, 1000)).map((record) => readVersionedRecord<{ is: number }>(record));
  const last = async (id: string) => (await all()).filter((record) => record.id === id).at(-1)?.value?.is;
  const until = async (id: string, version: number) => {
    while ((await last(id)) !== version) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const follow = () => UsageTail.follow({ eventLog, log: createLogger('silent'), name: 'policy' });

  it('ends with the newest totals again, whether the older ones came before the start or after', async () => {
    await append('agent:a', 7);
    await append('agent:a', 5);
    const tails = [await follow(), await follow()];
    await until('agent:a', 7);
    await append('account:b', 3);
    await append('account:b', 2);
    await append('agent:fine', 1);
    await until('account:b', 3);
    await Promise.all(tails.map((tail) => tail.stop()));
    expect(await last('account:b')).toBe(3);
    expect((await all()).filter(({ id }) => id === 'agent:fine')).toHaveLength(1);
  });

  it('leaves alone what a newer record has put right, and everything but totals', async () => {
    const tail = await follow();
    await append('position', 9);
    await append('position', 8);
    await append('agent:a', 2);
    await append('agent:a', 1);
    await append('agent:a', 3);
    await new Promise((resolve) => setTimeout(resolve, 1700));
    await tail.stop();
    expect(await eventLog.endOffsets('usage')).toEqual({ 0: 5 });
    expect([await last('position'), await last('agent:a')]).toEqual([8, 3]);
  });
});
