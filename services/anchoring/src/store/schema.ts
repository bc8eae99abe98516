/**
 * Leaves of open windows lie in `arrivals` in the order of the log; closing moves them into `segments`, by agent.
 * `windows.state`: ending (leaves below its cut still come), cut, closing, closed.
 */
const FIRST = `
CREATE TABLE positions (
  topic TEXT NOT NULL,
  partition INTEGER NOT NULL,
  next INTEGER NOT NULL,
  PRIMARY KEY (topic, partition)
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key BLOB NOT NULL,
  last_sequence INTEGER NOT NULL,
  cadence INTEGER,
  window_number INTEGER
) STRICT;

-- Event ids that can still be repeated. UUID v7: in the order of time.
CREATE TABLE seen (
  event_id BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- One row for each cadence in use: its open window.
CREATE TABLE cadences (
  cadence INTEGER PRIMARY KEY,
  open_number INTEGER NOT NULL DEFAULT 1,
  opened_at INTEGER,
  last_end INTEGER,
  cut_offsets TEXT NOT NULL DEFAULT '{}',
  last_root BLOB
) STRICT;

-- check_sum is over all other columns.
CREATE TABLE arrivals (
  cadence INTEGER NOT NULL,
  partition INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  agent_n INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  hash BLOB NOT NULL,
  check_sum INTEGER NOT NULL,
  PRIMARY KEY (cadence, partition, offset)
) STRICT, WITHOUT ROWID;

-- Agents with leaves stamped one cadence that went into another's window.
CREATE TABLE carried (
  stamp INTEGER NOT NULL,
  agent_n INTEGER NOT NULL,
  cadence INTEGER NOT NULL,
  window_number INTEGER NOT NULL,
  PRIMARY KEY (stamp, agent_n, cadence, window_number)
) STRICT, WITHOUT ROWID;

CREATE TABLE windows (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  cadence INTEGER NOT NULL,
  number INTEGER NOT NULL,
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  from_offsets TEXT NOT NULL,
  offsets TEXT NOT NULL,
  carried TEXT NOT NULL,
  cut_published INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'cut',
  swept INTEGER NOT NULL DEFAULT 0,
  root TEXT,
  prev TEXT,
  agent_count INTEGER,
  event_count INTEGER,
  signature TEXT,
  slot INTEGER,
  block_height INTEGER,
  anchored_at TEXT,
  network TEXT,
  authority TEXT,
  published_chunks INTEGER NOT NULL DEFAULT 0,
  published INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX windows_unpublished_cuts ON windows (n) WHERE cut_published = 0;
CREATE INDEX windows_to_close ON windows (n) WHERE state <> 'closed';
CREATE INDEX windows_to_sweep ON windows (n) WHERE swept = 0;
CREATE INDEX windows_to_anchor ON windows (n) WHERE signature IS NULL;
CREATE INDEX windows_to_publish ON windows (n) WHERE signature IS NOT NULL AND published = 0;
CREATE INDEX windows_anchored ON windows (end_ms) WHERE signature IS NOT NULL;

CREATE TABLE segments (
  agent_n INTEGER NOT NULL,
  first_sequence INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (agent_n, first_sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE window_agents (
  window_n INTEGER NOT NULL,
  leaf_index INTEGER NOT NULL,
  agent_n INTEGER NOT NULL,
  first_sequence INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  root BLOB NOT NULL,
  PRIMARY KEY (window_n, leaf_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX window_agents_by_agent ON window_agents (agent_n, first_sequence);

CREATE TABLE window_leaves (
  window_n INTEGER NOT NULL,
  first_index INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (window_n, first_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE reports (
  report_id TEXT PRIMARY KEY,
  content_hash TEXT NOT NULL,
  signature TEXT,
  slot INTEGER,
  block_height INTEGER,
  anchored_at TEXT,
  network TEXT,
  authority TEXT,
  published INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX reports_to_publish ON reports (report_id) WHERE signature IS NOT NULL AND published = 0;

CREATE TABLE submissions (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  memo TEXT NOT NULL,
  attempts TEXT NOT NULL DEFAULT '[]',
  landed TEXT,
  done INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX submissions_open ON submissions (n) WHERE done = 0;
`;

/** Where the first such leaf lies: a cut names those below it. */
const CARRIED_FROM = `
ALTER TABLE carried ADD COLUMN partition INTEGER NOT NULL DEFAULT 0;
ALTER TABLE carried ADD COLUMN first_offset INTEGER NOT NULL DEFAULT 0;
CREATE INDEX windows_ending ON windows (n) WHERE state = 'ending';
`;

const LABELS = 'CREATE INDEX windows_by_label ON windows (cadence, start_ms);';

/** Roots of the tiles of a window's leaves, one after the other; NULL: it has one tile, or was closed before. */
const TILE_ROOTS = 'ALTER TABLE windows ADD COLUMN tile_roots BLOB;';

export const MIGRATIONS: readonly string[] = [FIRST, CARRIED_FROM, LABELS, TILE_ROOTS];
