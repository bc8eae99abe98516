/** The outbox in SQLite files from before documents, for their migrations. */
export const OUTBOX_SCHEMA = `
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  topic TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
`;

/** The announcements in SQLite files from before documents, for their migrations. */
export const ANNOUNCEMENTS_SCHEMA = `
CREATE TABLE announcements (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL
) STRICT;
`;
