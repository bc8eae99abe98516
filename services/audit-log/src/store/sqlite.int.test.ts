import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { erasuresContract } from './erasures.contract.js';
import type { EventStore } from './port.js';
import { SqliteEventStore } from './sqlite.js';
import { eventStoreContract } from './store.contract.js';
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
  async clean() {
    rmSync(directory, { recursive: true, force: true });
  },
};

eventStoreContract('sqlite', backend);
keysetContract('sqlite', backend);
erasuresContract('sqlite', backend);
