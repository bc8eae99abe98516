import type { StoredTable, StoredTables } from '@countersign/document-store';
import { LAYOUT, type TableStoreName } from '../layout.js';
import { inspect, words, type ServiceStores, type Store } from '../open-stores.js';
import type { Check } from '../report.js';
import { scratch } from '../scratch.js';
import { POLICY, type ScratchSchema } from './scratch-schema.js';

interface Source {
  readonly open: (uri: string) => Promise<StoredTables>;
  readonly schema: ScratchSchema;
}

const from = (module: () => Promise<{ readStoredTables(uri: string): Promise<StoredTables> }>): Source['open'] => {
  return async (uri) => (await module()).readStoredTables(uri);
};

const SOURCES: Readonly<Record<TableStoreName, Source>> = {
  policy: { open: from(() => import('@countersign/policy')), schema: POLICY },
};

const RESTORE = 'restore the database from a backup; it has been left as it is';

/**
 * Reads a service's store from MongoDB into a temporary file that is gone when it is closed.
 * @returns `null` when it cannot be read, which is a finding then
 * @throws when no server answers
 */
export async function readStore(name: TableStoreName, uri: string, files: Check): Promise<Store | null> {
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

/** The stores that are read by an inspection; `null`: of another release. @throws when no server answers */
export async function inspectStores(
  uri: string,
  files: Check,
): Promise<Pick<ServiceStores, 'alerts' | 'anchors' | 'archive' | 'identity' | 'reports' | 'facts'>> {
  files.examined += 6;
  const { inspectAlerts } = await import('@countersign/alerts');
  const alerts = await inspect(LAYOUT.alerts, () => inspectAlerts({ uri }), files, null);
  const { inspectAnchors } = await import('@countersign/anchoring');
  const anchors = await inspect(LAYOUT.anchors, () => inspectAnchors({ uri }), files, null);
  const { inspectArchive } = await import('@countersign/audit-log');
  const archive = await inspect(LAYOUT.archive, () => inspectArchive({ uri }), files, null);
  const { inspectIdentity } = await import('@countersign/identity');
  const identity = await inspect(LAYOUT.identity, () => inspectIdentity({ uri }), files, null);
  const { inspectReports } = await import('@countersign/reporting');
  const reports = await inspect(LAYOUT.reports, () => inspectReports({ uri }), files, null);
  const { inspectFacts } = await import('@countersign/verification');
  const facts = await inspect(LAYOUT.facts, () => inspectFacts({ uri }), files, null);
  return { alerts, anchors, archive, identity, reports, facts };
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
