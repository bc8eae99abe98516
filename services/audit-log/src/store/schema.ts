/**
 * Ids of agents and accounts are numbered once, so that rows and indexes stay narrow. `classes` numbers the few
 * combinations of type, outcome, allowed and violation type: filters and counts work on that number alone.
 */
const FIRST = `
CREATE TABLE positions (
  topic TEXT NOT NULL,
  partition INTEGER NOT NULL,
  next INTEGER NOT NULL,
  PRIMARY KEY (topic, partition)
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  open_count INTEGER NOT NULL DEFAULT 0,
  acknowledged_n INTEGER NOT NULL DEFAULT 0,
  acknowledged_at TEXT
) STRICT;

CREATE TABLE agents (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_n INTEGER,
  last_sequence INTEGER NOT NULL DEFAULT 0,
  checks INTEGER NOT NULL DEFAULT 0,
  published_sequence INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE classes (
  n INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  outcome TEXT,
  allowed INTEGER,
  violation_type TEXT
) STRICT;

-- leaf: the canonical text, exactly as hashed. facts: the envelope without leaf and openings.
CREATE TABLE events (
  n INTEGER PRIMARY KEY,
  event_id BLOB NOT NULL,
  account_n INTEGER NOT NULL,
  agent_n INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  occurred_at INTEGER NOT NULL,
  class_n INTEGER NOT NULL,
  blocked INTEGER NOT NULL,
  erased INTEGER NOT NULL,
  refers_to BLOB,
  leaf TEXT NOT NULL,
  facts TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX events_by_id ON events (event_id);
CREATE UNIQUE INDEX events_by_sequence ON events (agent_n, sequence);
-- n stands before class_n: pages come in order without sorting, and counts need no row.
CREATE INDEX events_by_account ON events (account_n, occurred_at, n, class_n);
CREATE INDEX events_by_agent ON events (agent_n, occurred_at, n, class_n, sequence);
CREATE INDEX events_blocked ON events (account_n, n) WHERE blocked = 1;
CREATE INDEX events_referring ON events (refers_to) WHERE refers_to IS NOT NULL;

-- What an erasure deletes, and nothing else.
CREATE TABLE openings (
  n INTEGER PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- Events by hour of occurred_at; agent_n 0 holds all agents of the account.
CREATE TABLE hours (
  account_n INTEGER NOT NULL,
  agent_n INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  class_n INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (account_n, agent_n, hour, class_n)
) STRICT, WITHOUT ROWID;

CREATE TABLE windows (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  window_start TEXT NOT NULL,
  window_end TEXT NOT NULL,
  merkle_root TEXT NOT NULL,
  tx_signature TEXT NOT NULL,
  block_height INTEGER NOT NULL,
  anchored_at TEXT NOT NULL
) STRICT;

CREATE TABLE agent_windows (
  agent_n INTEGER NOT NULL,
  first_sequence INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  window_n INTEGER NOT NULL,
  PRIMARY KEY (agent_n, first_sequence)
) STRICT, WITHOUT ROWID;
`;

/** The inbox is read newest first by `occurred_at`. */
const SECOND = `
DROP INDEX events_blocked;
CREATE INDEX events_blocked ON events (account_n, occurred_at, n) WHERE blocked = 1;
`;

/**
 * `erased` is 1 by an order and 2 by retention. Content below `retained_sequence` of an agent is gone by retention.
 * Content that was erased before there were keepers of copies is reported once.
 */
const THIRD = `
CREATE INDEX events_erased ON events (agent_n, sequence) WHERE erased = 1;
CREATE TABLE untold_erasures (n INTEGER PRIMARY KEY) STRICT;
INSERT INTO untold_erasures SELECT n FROM events WHERE erased = 1;
ALTER TABLE agents ADD COLUMN retained_sequence INTEGER NOT NULL DEFAULT 0;
CREATE TABLE retention (one INTEGER PRIMARY KEY CHECK (one = 1), turn INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
`;

/** `trace`: 16 bytes, the trace id of the event's context; an erasure deletes it together with the opening that shows it. */
const FOURTH = `
ALTER TABLE events ADD COLUMN trace BLOB;
UPDATE events SET trace = (
  SELECT unhex(substr(json_extract(o.value, '$.context.value.trace'), 4, 32)) FROM openings o
  WHERE o.n = events.n AND length(json_extract(o.value, '$.context.value.trace')) = 55)
WHERE n IN (SELECT n FROM openings WHERE instr(value, '"trace":"') > 0);
CREATE INDEX events_by_trace ON events (account_n, trace, occurred_at, n, class_n) WHERE trace IS NOT NULL;
`;

/** Denials by people, see `isBlocked`: blocked leaves that the inbox does not show. They are subtracted when it is read. */
const FIFTH = `
CREATE INDEX events_denied_by_people ON events (account_n, n) WHERE blocked = 1 AND refers_to IS NOT NULL;
`;

/**
 * `rule` of the leaf; events without a violation have none. It quotes the profile, and no content. Most leaves have none, and
 * are not parsed; one that is damaged stays for fsck to report.
 */
const SIXTH = `
ALTER TABLE events ADD COLUMN rule TEXT GENERATED ALWAYS AS (
  CASE WHEN instr(leaf, '"rule":"') > 0 AND json_valid(leaf) THEN json_extract(leaf, '$.rule') END
) VIRTUAL;
CREATE INDEX events_by_rule ON events (account_n, occurred_at, class_n, agent_n, rule) WHERE rule IS NOT NULL;
`;

/** Windows are found by what they are called on the chain, and then the agents in them. */
const SEVENTH = `
CREATE INDEX windows_by_root ON windows (merkle_root);
CREATE INDEX windows_by_transaction ON windows (tx_signature);
CREATE INDEX agent_windows_by_window ON agent_windows (window_n);
`;

export const MIGRATIONS: readonly string[] = [FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH];
