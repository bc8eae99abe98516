/**
 * Tables into which the stores of the distributed profile are read, so that the checks of both profiles are the same
 * ones: named and laid out as the embedded profile has them. Their types make whole numbers integers.
 */
const POSITIONS = 'CREATE TABLE positions (topic TEXT, partition INTEGER, next INTEGER);';

export interface ScratchSchema {
  readonly tables: string;
  /** Indexes, and what follows from the rows; run when they are there. */
  readonly afterwards: string;
}

/** `n` of an event is its place; agents, accounts, classes and windows are numbered by their names. */
export const ARCHIVE: ScratchSchema = {
  tables: `${POSITIONS}
    CREATE TABLE classes (n TEXT PRIMARY KEY, type TEXT, outcome TEXT, allowed INTEGER, violation_type TEXT);
    CREATE TABLE agents (n TEXT PRIMARY KEY, id TEXT, account_n TEXT, last_sequence INTEGER, checks INTEGER);
    CREATE TABLE blocked (account_n TEXT, partition INTEGER, count INTEGER);
    CREATE TABLE events (n INTEGER PRIMARY KEY, event_id BLOB, account_n TEXT, agent_n TEXT, sequence INTEGER,
      occurred_at INTEGER, class_n TEXT, blocked INTEGER, erased INTEGER, refers_to BLOB, leaf TEXT, facts TEXT,
      openings TEXT);
    CREATE TABLE hour_counts (scope TEXT, hour INTEGER, class_n TEXT, count INTEGER);
    CREATE TABLE windows (n TEXT PRIMARY KEY, id TEXT, window_start TEXT, window_end TEXT, merkle_root TEXT,
      tx_signature TEXT, block_height INTEGER, anchored_at TEXT);
    CREATE TABLE agent_windows (agent_n TEXT, first_sequence INTEGER, last_sequence INTEGER, window_n TEXT);`,
  afterwards: `
    CREATE INDEX events_by_id ON events (event_id);
    CREATE INDEX events_by_agent ON events (agent_n, sequence);
    CREATE INDEX events_by_account ON events (account_n, blocked);
    CREATE INDEX events_referring ON events (refers_to);
    CREATE INDEX windows_by_id ON windows (id);
    CREATE INDEX agents_by_id ON agents (id);
    CREATE INDEX agent_windows_by_agent ON agent_windows (agent_n, first_sequence);
    CREATE VIEW openings AS SELECT n, openings AS value FROM events WHERE openings IS NOT NULL;
    CREATE TABLE accounts (n TEXT PRIMARY KEY, id TEXT, open_count INTEGER, acknowledged_n INTEGER);
    INSERT INTO accounts SELECT account_n, account_n, sum(count), -1 FROM
      (SELECT account_n, count FROM blocked UNION ALL SELECT DISTINCT account_n, 0 FROM agents) GROUP BY account_n;
    CREATE TABLE hours (account_n TEXT, agent_n, hour INTEGER, class_n TEXT, count INTEGER);
    INSERT INTO hours SELECT a.account_n, a.id, h.hour, h.class_n, sum(h.count) FROM hour_counts h
      LEFT JOIN agents a ON a.id = substr(h.scope, 7) WHERE h.scope LIKE 'agent:%' GROUP BY 1, 2, 3, 4;
    INSERT INTO hours SELECT substr(scope, 9), 0, hour, class_n, sum(count) FROM hour_counts
      WHERE scope LIKE 'account:%' GROUP BY 1, 3, 4;`,
};

/** Windows are numbered by their ids. */
export const ANCHORS: ScratchSchema = {
  tables: `${POSITIONS}
    CREATE TABLE agents (n INTEGER PRIMARY KEY, id TEXT, key BLOB, last_sequence INTEGER);
    CREATE TABLE arrivals (cadence INTEGER, partition INTEGER, offset INTEGER, agent_n INTEGER, sequence INTEGER,
      hash BLOB, check_sum INTEGER);
    CREATE TABLE windows (n TEXT PRIMARY KEY, id TEXT, cadence INTEGER, number INTEGER, start_ms INTEGER, end_ms INTEGER,
      from_offsets TEXT, offsets TEXT, carried TEXT, cut_published INTEGER, state TEXT, root TEXT, prev TEXT,
      agent_count INTEGER, event_count INTEGER, signature TEXT, slot INTEGER, block_height INTEGER, anchored_at TEXT,
      network TEXT, authority TEXT, published INTEGER, memo TEXT, tile_roots BLOB);
    CREATE TABLE segments (agent_n INTEGER, first_sequence INTEGER, hashes BLOB);
    CREATE TABLE window_agents (window_n TEXT, leaf_index INTEGER, agent_n INTEGER, first_sequence INTEGER,
      last_sequence INTEGER, root BLOB);
    CREATE TABLE window_leaves (window_n TEXT, first_index INTEGER, hashes BLOB);
    CREATE TABLE reports (report_id TEXT PRIMARY KEY, content_hash TEXT, signature TEXT, slot INTEGER,
      block_height INTEGER, authority TEXT);`,
  afterwards: `
    CREATE INDEX agents_by_id ON agents (id);
    CREATE INDEX arrivals_by_place ON arrivals (partition, offset, cadence);
    CREATE INDEX windows_by_id ON windows (id);
    CREATE INDEX segments_by_agent ON segments (agent_n, first_sequence);
    CREATE INDEX window_agents_by_index ON window_agents (window_n, leaf_index);
    CREATE INDEX window_agents_by_agent ON window_agents (agent_n, first_sequence);
    CREATE INDEX window_leaves_by_index ON window_leaves (window_n, first_index);
    CREATE VIEW submissions AS SELECT 'window:' || id AS id, memo, signature IS NOT NULL AS done FROM windows;`,
};

export const POLICY: ScratchSchema = {
  tables: `${POSITIONS}
    CREATE TABLE agents (id TEXT PRIMARY KEY, revision INTEGER, facts TEXT);
    CREATE TABLE agent_totals (agent_id TEXT PRIMARY KEY, totals TEXT);
    CREATE TABLE account_totals (account_id TEXT, totals TEXT);
    CREATE TABLE outbox (topic TEXT, key TEXT);`,
  afterwards: '',
};
