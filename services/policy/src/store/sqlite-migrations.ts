import { DOCUMENT_TABLES, documentTable } from '@countersign/document-store';
import { ANNOUNCEMENTS_SCHEMA, OUTBOX_SCHEMA } from '@countersign/topics';

const AGENTS = `
CREATE TABLE agents (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  frozen_at_ms INTEGER NOT NULL,
  facts TEXT NOT NULL,
  checksum BLOB NOT NULL
) STRICT;
CREATE INDEX agents_of_account ON agents (account_id, number);
`;

const USAGE = `
CREATE TABLE positions (
  partition INTEGER PRIMARY KEY,
  next INTEGER NOT NULL,
  log_time_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE seen_events (
  partition INTEGER NOT NULL,
  id BLOB NOT NULL,
  PRIMARY KEY (partition, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE account_totals (
  account_id TEXT PRIMARY KEY,
  totals TEXT NOT NULL,
  revision INTEGER NOT NULL,
  published INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX account_totals_unpublished ON account_totals (account_id) WHERE revision > published;

CREATE TABLE agent_totals (
  agent_id TEXT PRIMARY KEY,
  totals TEXT NOT NULL,
  revision INTEGER NOT NULL,
  published INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_totals_unpublished ON agent_totals (agent_id) WHERE revision > published;

CREATE TABLE claims (
  key TEXT PRIMARY KEY,
  occurred_at_ms INTEGER NOT NULL,
  claim TEXT,
  version INTEGER NOT NULL,
  published INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_unpublished ON claims (key) WHERE version > published;
CREATE INDEX claims_by_time ON claims (occurred_at_ms) WHERE claim IS NOT NULL;
`;

const REGISTRATIONS = `
ALTER TABLE agents ADD COLUMN transaction_signature TEXT;
CREATE UNIQUE INDEX agents_by_transaction ON agents (transaction_signature);
`;

/** Rows of a table as documents, in the order in which they were made. */
function documentsOf(name: string, select: string): string {
  return `${documentTable(name)}INSERT INTO doc_${name} (id, version, body) ${select};\n`;
}

/** Lower case, with hyphens. */
const UUID = `lower(printf('%s-%s-%s-%s-%s', substr(hex(id), 1, 8), substr(hex(id), 9, 4), substr(hex(id), 13, 4),
  substr(hex(id), 17, 4), substr(hex(id), 21)))`;

/** Keys and checksums are computed when the store is opened. The log of a file has one partition, so totals are of that. */
const DOCUMENTS = `
${DOCUMENT_TABLES}
${documentsOf(
  'agents',
  `SELECT id, revision, json_object('facts', json(facts), 'frozenAtMs', frozen_at_ms) FROM agents ORDER BY number`,
)}
${documentsOf(
  'account_totals',
  `SELECT account_id || '/0', 1, json_object('totals', json(totals), 'revision', revision, 'published', published)
     FROM account_totals`,
)}
${documentsOf(
  'agent_totals',
  `SELECT agent_id, 1, json_object('totals', json(totals), 'revision', revision, 'published', published)
     FROM agent_totals`,
)}
${documentsOf(
  'claims',
  `SELECT key, 1, json_object('claim', json(claim), 'revision', version, 'published', published) FROM claims
     ORDER BY occurred_at_ms`,
)}
${documentsOf(
  'seen_events',
  `SELECT printf('%05d/%s', partition, substr(uuid, 1, 12)), 1, json_object('ids', json_group_array(uuid ORDER BY uuid))
     FROM (SELECT partition, ${UUID} AS uuid FROM seen_events) GROUP BY 1 ORDER BY 1`,
)}
${documentsOf('positions', `SELECT CAST(partition AS TEXT), 1, json_object('next', next) FROM positions`)}
INSERT INTO doc_outbox (topic, key, value) SELECT topic, key, value FROM outbox ORDER BY id;
INSERT INTO doc_raises (kind, id, version) SELECT kind, id, version FROM announcements ORDER BY row;
DROP TABLE agents;
DROP TABLE account_totals;
DROP TABLE agent_totals;
DROP TABLE claims;
DROP TABLE seen_events;
DROP TABLE positions;
DROP TABLE outbox;
DROP TABLE announcements;
`;

/** Appended to, never changed. The first two made tables of policy's own. */
export const MIGRATIONS: readonly string[] = [
  AGENTS + USAGE + OUTBOX_SCHEMA + ANNOUNCEMENTS_SCHEMA,
  REGISTRATIONS,
  DOCUMENTS,
];
