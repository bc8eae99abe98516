import { OUTBOX_SCHEMA, openDatabase, sqliteOutbox } from '@countersign/service-kit';
import type { ComplianceScope, DeclaredScope } from '@countersign/contracts';
import {
  anchorKey,
  mayOpen,
  reportRecord,
  scopeRecord,
  type AuthorityFacts,
  type KeptAnchor,
  type ReportAnchorFacts,
  type ReportStore,
  type StoredReport,
  type StoredScope,
} from './port.js';

const PAGE = 500;

const MIGRATIONS = [
  `CREATE TABLE reports (
     id TEXT PRIMARY KEY, account_id TEXT NOT NULL, created_at TEXT NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX reports_by_account ON reports (account_id, created_at DESC, id DESC);
   CREATE TABLE scopes (account_id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
   CREATE TABLE anchors (key TEXT PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL) STRICT;
   CREATE TABLE positions (partition INTEGER PRIMARY KEY, next_offset INTEGER NOT NULL) STRICT;
   ${OUTBOX_SCHEMA}`,
  'ALTER TABLE anchors ADD COLUMN version INTEGER NOT NULL DEFAULT 0',
  `CREATE TABLE openings (
     report_id TEXT NOT NULL, agent_id TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
     PRIMARY KEY (agent_id, first, report_id)
   ) STRICT, WITHOUT ROWID;
   INSERT OR IGNORE INTO openings (report_id, agent_id, first, last)
     SELECT r.id, a.value, 1, ${Number.MAX_SAFE_INTEGER} FROM reports r, json_each(r.body, '$.agentIds') a;
   ALTER TABLE scopes ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE scopes ADD COLUMN declared_at TEXT NOT NULL DEFAULT '';`,
];

/** Opens (or creates) `file`. Throws `StoreDamaged` naming it. */
export function openSqliteReportStore(file: string): ReportStore {
  const db = openDatabase(file, MIGRATIONS);
  const outbox = sqliteOutbox(db);
  const insert = db.prepare('INSERT INTO reports (id, account_id, created_at, version, body) VALUES (?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE reports SET version = ?, body = ? WHERE id = ? AND version < ?');
  const one = db.prepare<[string, string], { body: string }>(
    'SELECT body FROM reports WHERE id = ? AND account_id = ?',
  );
  const any = db.prepare<[string], { body: string }>('SELECT body FROM reports WHERE id = ?');
  const after = db.prepare<[string], { id: string; body: string }>(
    `SELECT id, body FROM reports WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
  );
  const page = db.prepare<[string, number, number], { body: string }>(
    'SELECT body FROM reports WHERE account_id = ? ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?',
  );
  const count = db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM reports WHERE account_id = ?');
  const readScope = db.prepare<[string], { body: string }>('SELECT body FROM scopes WHERE account_id = ?');
  const writeScope = db.prepare<[string, string, number, string]>(
    `INSERT INTO scopes (account_id, body, version, declared_at) VALUES (?, ?, ?, ?) ON CONFLICT (account_id) DO UPDATE
     SET body = excluded.body, version = excluded.version, declared_at = excluded.declared_at
     WHERE excluded.version > scopes.version`,
  );
  const scopeVersion = db.prepare<[string], number>('SELECT version FROM scopes WHERE account_id = ?').pluck();
  const allScopes = db.prepare<[], { accountId: string; version: number; declaredAt: string; body: string }>(
    'SELECT account_id AS accountId, version, declared_at AS declaredAt, body FROM scopes ORDER BY account_id',
  );
  const addOpening = db.prepare<[string, string, number, number]>(
    'INSERT OR IGNORE INTO openings (report_id, agent_id, first, last) VALUES (?, ?, ?, ?)',
  );
  const opening = db.prepare<[string, number, number], { body: string }>(
    `SELECT body FROM reports WHERE id IN (SELECT report_id FROM openings WHERE agent_id = ? AND first <= ? AND last >= ?)
     ORDER BY id`,
  );
  const keepAnchor = db.prepare(
    `INSERT INTO anchors (key, kind, body, version) VALUES (?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET body = excluded.body, version = excluded.version
     WHERE excluded.version > anchors.version`,
  );
  const anchorByKey = db.prepare<[string], { body: string }>('SELECT body FROM anchors WHERE key = ?');
  const anchorsOfKind = db.prepare<[string], { body: string }>('SELECT body FROM anchors WHERE kind = ? ORDER BY key');
  const readPosition = db.prepare<[number], { next_offset: number }>(
    'SELECT next_offset FROM positions WHERE partition = ?',
  );
  const writePosition = db.prepare(
    'INSERT INTO positions (partition, next_offset) VALUES (?, ?) ON CONFLICT (partition) DO UPDATE SET next_offset = max(next_offset, excluded.next_offset)',
  );
  const addReport = db.transaction((report: StoredReport) => {
    insert.run(report.id, report.facts.accountId, report.facts.createdAt, report.version, JSON.stringify(report));
    for (const { agentId, first, last } of mayOpen(report)) addOpening.run(report.id, agentId, first, last);
    outbox.put([reportRecord(report)]);
  });
  const keepScope = ({ accountId, scope, version, declaredAt }: StoredScope): void => {
    writeScope.run(accountId, JSON.stringify(scope), version, declaredAt);
  };
  const putScope = db.transaction((accountId: string, declared: DeclaredScope) => {
    const stored = { accountId, version: (scopeVersion.get(accountId) ?? 0) + 1, ...declared };
    keepScope(stored);
    outbox.put([scopeRecord(stored)]);
  });
  const updateReport = db.transaction((report: StoredReport): boolean => {
    const replaced = update.run(report.version, JSON.stringify(report), report.id, report.version).changes > 0;
    if (replaced) outbox.put([reportRecord(report)]);
    return replaced;
  });
  const keepAnchors = db.transaction((anchors: readonly KeptAnchor[], partition: number, nextOffset: number) => {
    for (const anchor of anchors) {
      keepAnchor.run(anchorKey(anchor), anchor.value.kind, JSON.stringify(anchor.value), anchor.version);
    }
    writePosition.run(partition, nextOffset);
  });
  return {
    addReport: async (report) => addReport(report),
    updateReport: async (report) => updateReport(report),
    report: async (accountId, id) => read(one.get(id, accountId)),
    anyReport: async (id) => read(any.get(id)),
    async *all() {
      for (let rows = after.all(''); rows.length > 0; rows = after.all(rows.at(-1)!.id)) {
        for (const { body } of rows) yield JSON.parse(body) as StoredReport;
      }
    },
    reports: async (accountId, limit, offset) => ({
      reports: page.all(accountId, limit, offset).map((row) => JSON.parse(row.body) as StoredReport),
      total: count.get(accountId)?.n ?? 0,
    }),
    scope: async (accountId) => {
      const row = readScope.get(accountId);
      return row === undefined ? {} : (JSON.parse(row.body) as ComplianceScope);
    },
    opening: async (agentId, sequence) =>
      opening.all(agentId, sequence, sequence).map((row) => JSON.parse(row.body) as StoredReport),
    putScope: async (accountId, declared) => putScope(accountId, declared),
    scopes: async () =>
      allScopes.all().map(({ body, ...scope }) => ({ ...scope, scope: JSON.parse(body) as ComplianceScope })),
    adoptScope: async (scope) => keepScope(scope),
    anchorsPosition: async (partition) => readPosition.get(partition)?.next_offset ?? null,
    keepAnchors: async (anchors, partition, nextOffset) => keepAnchors(anchors, partition, nextOffset),
    reportAnchor: async (reportId) => {
      const row = anchorByKey.get(`report:${reportId}`);
      return row === undefined ? null : (JSON.parse(row.body) as ReportAnchorFacts);
    },
    authorities: async () => anchorsOfKind.all('authority').map((row) => JSON.parse(row.body) as AuthorityFacts),
    enqueue: async (records) => outbox.put(records),
    pending: (limit) => outbox.pending(limit),
    sent: (ids) => outbox.sent(ids),
    close: async () => void db.close(),
  };
}

function read(row: { readonly body: string } | undefined): StoredReport | null {
  return row === undefined ? null : (JSON.parse(row.body) as StoredReport);
}
