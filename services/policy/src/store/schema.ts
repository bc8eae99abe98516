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

/** Beside the facts that hold it: a unique index takes a transaction once. Of an agent that is not registered: null. */
const REGISTRATIONS = `
ALTER TABLE agents ADD COLUMN transaction_signature TEXT;
CREATE UNIQUE INDEX agents_by_transaction ON agents (transaction_signature);
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

/** Appended to, never changed. */
export const MIGRATIONS: readonly string[] = [AGENTS + USAGE + OUTBOX_SCHEMA + ANNOUNCEMENTS_SCHEMA, REGISTRATIONS];
