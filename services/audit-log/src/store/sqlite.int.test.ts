import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OtherLayout, openDatabase } from '@countersign/document-store';
import { erasuresContract } from './erasures.contract.js';
import { inspectArchive } from './inspect.js';
import { inspectionContract } from './inspection.contract.js';
import type { EventStore } from './port.js';
import { MIGRATIONS } from './schema.js';
import { SqliteEventStore } from './sqlite.js';
import { eventStoreContract } from './store.contract.js';
import { countsContract } from './counts.contract.js';
import { inboxesContract } from './inboxes.contract.js';
import { arrivalsContract } from './arrivals.contract.js';
import { keysetContract } from './keyset.contract.js';

let directory = '';
const file = (): string => join(directory, 'events.db');

const backend = {
  async open() {
    directory = mkdtempSync(join(tmpdir(), 'audit-log-'));
    return new SqliteEventStore(file());
  },
  async reopen(store: EventStore) {
    await store.close();
    return new SqliteEventStore(file());
  },
  inspect: () => inspectArchive({ file: file() }),
  async clean() {
    rmSync(directory, { recursive: true, force: true });
  },
};

eventStoreContract('sqlite', backend);
arrivalsContract('sqlite', backend);
keysetContract('sqlite', backend);
countsContract('sqlite', backend);
inboxesContract('sqlite', backend);
erasuresContract('sqlite', backend);
inspectionContract('sqlite', backend);

describe('inspection of a file', () => {
  it('refuses one that an earlier release wrote last, and leaves it as it is', async () => {
    await (await backend.open()).close();
    const database = openDatabase(file(), MIGRATIONS);
    database.pragma(`user_version = ${MIGRATIONS.length - 1}`);
    database.close();
    await expect(inspectArchive({ file: file() })).rejects.toThrow(OtherLayout);
    await backend.clean();
  });

  it('names rows that contradict others', async () => {
    await (await backend.open()).close();
    const database = openDatabase(file(), MIGRATIONS);
    database.exec(`INSERT INTO openings VALUES (7, '{}'); INSERT INTO accounts (id, acknowledged_n) VALUES ('a', 9)`);
    database.close();
    const inspection = await inspectArchive({ file: file() });
    const found: string[] = [];
    for await (const { place, problem } of inspection.problems()) found.push(`${place}: ${problem}`);
    expect(found).toEqual([
      'accounts a: the acknowledgement is beyond its events, or has no time',
      'openings 7: it opens no event',
    ]);
    await inspection.close();
    await backend.clean();
  });
});
