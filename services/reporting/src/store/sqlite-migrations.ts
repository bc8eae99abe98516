import { DOCUMENT_TABLES, documentTable } from '@countersign/document-store';
import { OUTBOX_SCHEMA } from '@countersign/topics';

/** Converts rows of a table to documents, in the order of their creation. */
function documentsOf(name: string, select: string): string {
  return `${documentTable(name)}INSERT INTO doc_${name} (id, version, body) ${select};\n`;
}

/** Keys and checksums are computed when the store is opened. */
const DOCUMENTS = `
${DOCUMENT_TABLES}
${documentsOf('reports', 'SELECT id, version, body FROM reports ORDER BY created_at, id')}
${documentsOf(
  'openings',
  `SELECT report_id || '/' || (row_number() OVER (PARTITION BY report_id ORDER BY agent_id, first) - 1), 1,
     json_object('reportId', report_id, 'agentId', agent_id, 'first', first, 'last', last) FROM openings`,
)}
${documentsOf(
  'scopes',
  `SELECT account_id, 1, json_object('scope', json(body), 'declaredAt', declared_at, 'version', version) FROM scopes
     ORDER BY account_id`,
)}
${documentsOf(
  'anchors',
  `SELECT key, 1, json_object('version', version, 'value', json(body)) FROM anchors ORDER BY key`,
)}
${documentsOf('positions', `SELECT CAST(partition AS TEXT), 1, json_object('next', next_offset) FROM positions`)}
INSERT INTO doc_outbox (topic, key, value) SELECT topic, key, value FROM outbox ORDER BY id;
DROP TABLE openings;
DROP TABLE reports;
DROP TABLE scopes;
DROP TABLE anchors;
DROP TABLE positions;
DROP TABLE outbox;
`;

/** Append-only. The first three created tables of reporting's own. */
export const MIGRATIONS: readonly string[] = [
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
  DOCUMENTS,
];
