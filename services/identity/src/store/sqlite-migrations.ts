import { DOCUMENT_TABLES, documentTable } from '@countersign/document-store';
import { ANNOUNCEMENTS_SCHEMA, OUTBOX_SCHEMA } from '@countersign/topics';

const IDENTITY = `
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  facts TEXT NOT NULL,
  members_version INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE users (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  email TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX users_of_account ON users (account_id, number);

CREATE TABLE api_keys (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  facts TEXT NOT NULL,
  last_used_at TEXT
) STRICT;
CREATE INDEX api_keys_of_account ON api_keys (account_id, number);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked INTEGER NOT NULL,
  facts TEXT NOT NULL
) STRICT;
CREATE INDEX open_sessions_of_user ON sessions (user_id) WHERE revoked = 0;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE login_failures (
  at_ms INTEGER NOT NULL,
  email TEXT NOT NULL,
  ip TEXT NOT NULL
) STRICT;
CREATE INDEX login_failures_of_email ON login_failures (email, at_ms);
CREATE INDEX login_failures_of_ip ON login_failures (ip, at_ms);
CREATE INDEX login_failures_by_time ON login_failures (at_ms);

CREATE TABLE positions (
  partition INTEGER PRIMARY KEY,
  next INTEGER NOT NULL
) STRICT;
`;

const SIGN_IN_PLACES = `
CREATE INDEX login_failures_of_pair ON login_failures (email, ip, at_ms);
CREATE TABLE sign_in_places (
  email TEXT NOT NULL,
  ip TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (email, ip)
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_places_by_time ON sign_in_places (at_ms);
`;

/** Converts rows of a table to documents, in the order of their creation. */
function documentsOf(name: string, select: string): string {
  return `${documentTable(name)}INSERT INTO doc_${name} (id, version, body) ${select};\n`;
}

/** Keys and checksums are computed when the store is opened. */
const DOCUMENTS = `
${DOCUMENT_TABLES}
${documentsOf('accounts', 'SELECT id, version, facts FROM accounts ORDER BY rowid')}
${documentsOf('members', `SELECT id, members_version, '{}' FROM accounts WHERE members_version > 0 ORDER BY rowid`)}
${documentsOf(
  'users',
  `SELECT id, version, json_object('accountId', account_id, 'email', email, 'role', role, 'passwordHash', password_hash,
     'createdAt', created_at) FROM users ORDER BY number`,
)}
${documentsOf('api_keys', 'SELECT id, version, facts FROM api_keys ORDER BY number')}
${documentsOf(
  'key_uses',
  `SELECT id, 1, json_object('lastUsedAt', last_used_at) FROM api_keys WHERE last_used_at IS NOT NULL ORDER BY number`,
)}
${documentsOf('sessions', 'SELECT id, version, facts FROM sessions ORDER BY rowid')}
${documentsOf(
  'login_failures',
  `SELECT lower(hex(randomblob(16))), 1, json_object('email', email, 'ip', ip, 'atMs', at_ms) FROM login_failures
     ORDER BY rowid`,
)}
${documentsOf('sign_in_places', `SELECT email || ' ' || ip, 1, json_object('atMs', at_ms) FROM sign_in_places`)}
${documentsOf('positions', `SELECT CAST(partition AS TEXT), 1, json_object('next', next) FROM positions`)}
INSERT INTO doc_outbox (topic, key, value) SELECT topic, key, value FROM outbox ORDER BY id;
INSERT INTO doc_raises (kind, id, version) SELECT kind, id, version FROM announcements ORDER BY row;
DROP TABLE sessions;
DROP TABLE users;
DROP TABLE api_keys;
DROP TABLE accounts;
DROP TABLE login_failures;
DROP TABLE sign_in_places;
DROP TABLE positions;
DROP TABLE outbox;
DROP TABLE announcements;
`;

/** Append-only. The first two created tables of identity's own. */
export const MIGRATIONS: readonly string[] = [
  IDENTITY + OUTBOX_SCHEMA + ANNOUNCEMENTS_SCHEMA,
  SIGN_IN_PLACES,
  DOCUMENTS,
];
