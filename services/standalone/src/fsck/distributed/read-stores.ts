import Database from 'better-sqlite3';
import type { StoredTable, StoredTables } from '@countersign/service-kit';
import { LAYOUT, type StoreName } from '../layout.js';
import { words, type Store } from '../open-stores.js';
import type { Check } from '../report.js';
import { ALERTS, ANCHORS, ARCHIVE, FACTS, IDENTITY, POLICY, REPORTS, type ScratchSchema } from './scratch-schema.js';

interface Source {
  readonly open: (uri: string) => Promise<StoredTables>;
  readonly schema: ScratchSchema;
}

const from = (module: () => Promise<{ readStoredTables(uri: string): Promise<StoredTables> }>): Source['open'] => {
  return async (uri) => (await module()).readStoredTables(uri);
};

const SOURCES: Readonly<Record<StoreName, Source>> = {
  archive: { open: from(() => import('@countersign/audit-log')), schema: ARCHIVE },
  anchors: { open: from(() => import('@countersign/anchoring')), schema: ANCHORS },
  policy: { open: from(() => import('@countersign/policy')), schema: POLICY },
  identity: { open: from(() => import('@countersign/identity')), schema: IDENTITY },
  reports: { open: from(() => import('@countersign/reporting')), schema: REPORTS },
  facts: { open: from(() => import('@countersign/verification')), schema: FACTS },
  alerts: { open: from(() => import('@countersign/alerts')), schema: ALERTS },
};

const RESTORE = 'restore the database from a backup; it has been left as it is';

/**
 * Reads a service's store from MongoDB into a temporary file that is gone when it is closed.
 * @returns `null` when it cannot be read, which is a finding then
 * @throws when no server answers
 */
export async function readStore(name: StoreName, uri: string, files: Check): Promise<Store | null> {
  const { open, schema } = SOURCES[name];
  const source = await open(uri);
  const store = scratch();
  try {
    store.exec(schema.tables);
    for (const table of source.tables) await copy(table, store);
    store.exec(schema.afterwards);
    files.examined += source.tables.length;
    return store;
  } catch (error) {
    files.wrong(LAYOUT[name], `it cannot be read: ${words(error)}`, RESTORE);
    store.close();
    return null;
  } finally {
    await source.close();
  }
}

/** A database in a temporary file, which the system removes. */
export function scratch(): Store {
  const store = new Database('');
  store.pragma('journal_mode = OFF');
  store.pragma('synchronous = OFF');
  return store;
}

async function copy(table: StoredTable, store: Store): Promise<void> {
  const { name, columns } = table;
  const insert = store.prepare(
    `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  store.exec('BEGIN');
  for await (const row of table.rows()) insert.run(row);
  store.exec('COMMIT');
}
