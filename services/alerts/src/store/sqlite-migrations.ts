import { DOCUMENT_TABLES, documentTable } from '@countersign/document-store';

/** Converts rows of a table to documents, in the order of their creation. */
function documentsOf(name: string, select: string): string {
  return `${documentTable(name)}INSERT INTO doc_${name} (id, version, body) ${select};\n`;
}

/** Keys and checksums are computed when the store is opened. */
const DOCUMENTS = `
${DOCUMENT_TABLES}
${documentsOf('destinations', 'SELECT id, revision, body FROM destinations ORDER BY created_at, id')}
${documentsOf('threads', 'SELECT key, 1, body FROM threads ORDER BY rowid')}
${documentsOf(
  'messages',
  `SELECT id, 1, json_object('message', json(body), 'claim', NULL) FROM messages ORDER BY created_ms, id`,
)}
${documentsOf('seen_events', `SELECT partition || '/' || id, 1, '{}' FROM seen_events`)}
${documentsOf('positions', `SELECT CAST(partition AS TEXT), 1, json_object('next', next) FROM positions`)}
DROP TABLE destinations;
DROP TABLE threads;
DROP TABLE messages;
DROP TABLE seen_events;
DROP TABLE positions;
`;

/** Append-only. The first two created tables of alerts' own. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE destinations (
     id TEXT PRIMARY KEY, account_id TEXT NOT NULL, created_at TEXT NOT NULL, enabled INTEGER NOT NULL,
     revision INTEGER NOT NULL, body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX destinations_by_account ON destinations (account_id, created_at, id);
   CREATE TABLE threads (
     key TEXT PRIMARY KEY, destination_id TEXT NOT NULL, window_ends_ms INTEGER NOT NULL, sum_due_ms INTEGER,
     body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX threads_by_destination ON threads (destination_id);
   CREATE INDEX threads_due ON threads (sum_due_ms) WHERE sum_due_ms IS NOT NULL;
   CREATE INDEX threads_idle ON threads (window_ends_ms) WHERE sum_due_ms IS NULL;
   CREATE TABLE messages (
     id TEXT PRIMARY KEY, destination_id TEXT NOT NULL, created_ms INTEGER NOT NULL, due_ms INTEGER, token TEXT,
     body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX messages_by_destination ON messages (destination_id, created_ms DESC, id DESC);
   CREATE INDEX messages_due ON messages (due_ms) WHERE due_ms IS NOT NULL;
   CREATE INDEX messages_settled ON messages (created_ms) WHERE due_ms IS NULL;
   CREATE TABLE seen_events (partition INTEGER, id TEXT, PRIMARY KEY (partition, id)) STRICT, WITHOUT ROWID;
   CREATE TABLE positions (partition INTEGER PRIMARY KEY, next INTEGER NOT NULL) STRICT;`,
  // A claim skips the due messages of busy destinations without reading their rows.
  `DROP INDEX messages_due;
   CREATE INDEX messages_due ON messages (due_ms, destination_id) WHERE due_ms IS NOT NULL;`,
  DOCUMENTS,
];
