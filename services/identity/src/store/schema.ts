import { ANNOUNCEMENTS_SCHEMA, OUTBOX_SCHEMA } from '@countersign/service-kit';

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

/** Appended to, never changed. */
export const MIGRATIONS: readonly string[] = [IDENTITY + OUTBOX_SCHEMA + ANNOUNCEMENTS_SCHEMA, SIGN_IN_PLACES];
