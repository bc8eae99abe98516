import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from '@countersign/event-log';
import type { SqliteLog } from '@countersign/event-log';
import { createLogger } from '../logging/logger.js';
import { readVersionedRecord, versionedRecord } from '../projections/versioned-record.js';
import { TopicTail } from './topic-tail.js';

describe('the tail of a compacted topic', () => {
  let directory: string;
  let eventLog: SqliteLog;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'topic-tail-'));
    eventLog = await openSqliteLog({ file: join(directory, 'log.db') });
  });
  afterEach(async () => {
    await eventLog.close();
    rmSync(directory, { recursive: true });
  });

  const append = (id: string, version: number, value: object | null = { version }) =>
    eventLog.append([versionedRecord('sessions', id, version, value)]);
  async function last(id: string): Promise<{ readonly version: number; readonly value: object | null } | undefined> {
    const records = (await eventLog.read('sessions', 0, 0, 1000)).map((record) => readVersionedRecord<object>(record));
    const found = records.filter((record) => record.id === id).at(-1);
    return found && { version: found.version, value: found.value };
  }
  async function until(id: string, version: number): Promise<void> {
    while ((await last(id))?.version !== version) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const follow = (newest: (id: string) => number | null) =>
    TopicTail.follow({ eventLog, log: createLogger('silent'), name: 'identity' }, 'sessions', async (id) => {
      const version = newest(id);
      return version === null ? null : { id, version, value: { version } };
    });

  it('ends with the newest of the store again, whether the older record came before the start or after', async () => {
    await append('a', 1);
    await append('a', 2);
    await append('a', 1);
    await append('fine', 1);
    const tail = await follow((id) => (id === 'b' ? 7 : 3));
    await until('a', 3);
    await append('b', 6);
    await append('b', 5);
    await until('b', 7);
    await tail.stop();
    expect(await last('b')).toEqual({ version: 7, value: { version: 7 } });
    expect(await last('fine')).toEqual({ version: 1, value: { version: 1 } });
  });

  it('keeps what is gone gone', async () => {
    const tail = await follow(() => null);
    await append('a', 1);
    await append('a', 2, null);
    await append('a', 1);
    await until('a', 2);
    await tail.stop();
    expect(await last('a')).toEqual({ version: 2, value: null });
  });
});
