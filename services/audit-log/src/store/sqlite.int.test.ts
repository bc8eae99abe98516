import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteEventStore } from './sqlite.js';
import { eventStoreContract } from './store.contract.js';

let directory = '';
const file = (): string => join(directory, 'events.db');

eventStoreContract('sqlite', {
  async open() {
    directory = mkdtempSync(join(tmpdir(), 'audit-log-'));
    return new SqliteEventStore(file());
  },
  async reopen(store) {
    await store.close();
    return new SqliteEventStore(file());
  },
  async clean() {
    rmSync(directory, { recursive: true, force: true });
  },
});
