import type { VersionedRecord } from '@countersign/contracts';
import { LAYOUT } from '../layout.js';
import { digestOf } from '../newest-records.js';
import { words, type Store } from '../open-stores.js';
import type { Check } from '../report.js';

interface Waiting {
  readonly id: number;
  readonly topic: string;
  readonly key: string;
  readonly value: string;
}

/** Where the owner of a topic keeps what it tells there. */
const OWNERS: Readonly<Record<string, string>> = {
  accounts: 'SELECT version, facts AS value FROM accounts WHERE id = ?',
  'api-keys': 'SELECT version, facts AS value FROM api_keys WHERE id = ?',
  sessions: 'SELECT version, facts AS value FROM sessions WHERE id = ?',
  agents: 'SELECT revision AS version, facts AS value FROM agents WHERE id = ?',
  'compliance-scopes': `SELECT version, json_object('scope', json(body), 'declaredAt', declared_at) AS value FROM scopes
    WHERE account_id = ?`,
  reports: `SELECT version, body -> '$.facts' AS value FROM reports WHERE id = ?`,
};
const ANNOUNCED: Readonly<Record<string, string>> = {
  account: 'accounts',
  'api-key': 'api-keys',
  session: 'sessions',
  agent: 'agents',
};

/**
 * What waits to be told, after a stop in between, tells of what the store holds: of its newest version in its words, or
 * of an older one. Embedded profile.
 */
export function checkOutboxes(
  stores: { readonly [file in 'identity' | 'policy' | 'reports']: Store | null },
  check: Check,
): void {
  for (const name of ['identity', 'policy', 'reports'] as const) {
    const store = stores[name];
    if (store === null) continue;
    for (const row of store.prepare<[], Waiting>('SELECT id, topic, key, value FROM outbox ORDER BY id').iterate()) {
      check.examined += 1;
      check.behind += 1;
      const problem = problemOf(row, store);
      if (problem !== null) check.wrong(`${LAYOUT[name]} outbox ${row.id} (${row.topic} ${row.key})`, problem);
    }
    if (name !== 'reports') checkAnnouncements(LAYOUT[name], store, check);
  }
}

function problemOf({ topic, key, value }: Waiting, store: Store): string | null {
  if (topic === 'agent-events') return null;
  let record: VersionedRecord<object>;
  try {
    record = JSON.parse(value) as VersionedRecord<object>;
  } catch (error) {
    return `it is no JSON: ${words(error)}`;
  }
  if (record.v !== 1 || record.id !== key || !Number.isSafeInteger(record.version)) return 'it is no record of its key';
  const query = OWNERS[topic];
  if (query === undefined || record.value === null) return null;
  const row = store.prepare<[string], { version: number; value: string }>(query).get(key);
  if (row === undefined) return 'it tells of something that is not stored';
  if (record.version > row.version) return `it tells version ${record.version}, the store has ${row.version}`;
  if (record.version === row.version && digestOf(record.value) !== digestOf(JSON.parse(row.value)))
    return 'it does not tell what is stored';
  return null;
}

function checkAnnouncements(file: string, store: Store, check: Check): void {
  const rows = store.prepare<[], { row: number; kind: string; id: string; version: number }>(
    'SELECT row, kind, id, version FROM announcements ORDER BY row',
  );
  for (const { row, kind, id, version } of rows.iterate()) {
    check.examined += 1;
    check.behind += 1;
    const query = OWNERS[ANNOUNCED[kind] ?? ''];
    const stored = query === undefined ? undefined : store.prepare<[string], { version: number }>(query).get(id);
    // What is gone is announced with the version of its end.
    if (query === undefined || (stored !== undefined && version > stored.version))
      check.wrong(
        `${file} announcements ${row}`,
        `it announces version ${version} of ${kind} ${id}, which is not stored`,
      );
  }
}
