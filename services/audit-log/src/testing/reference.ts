import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteEventStore } from '../store/sqlite.js';
import { appendNext, PARTITIONS, type PartitionedLog } from './partitioned-log.js';
import { whatItSays } from './what-a-store-says.js';

/** Answers of the SQLite store that took the log once, undisturbed. */
export async function reference(log: PartitionedLog, events: number): Promise<unknown> {
  const directory = mkdtempSync(join(tmpdir(), 'audit-log-reference-'));
  const store = new SqliteEventStore(join(directory, 'events.db'));
  try {
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      await appendNext(store, log, partition, log[partition]!.length);
    }
    return await whatItSays(store, events);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
