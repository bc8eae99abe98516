export type { TopicContext } from './context.js';
export { deadLetter } from './dead-letters/dead-letter.js';
export { Announcer, ANNOUNCEMENTS_SCHEMA, sqliteAnnouncements } from './outbox/announcer.js';
export type { Announcement, AnnouncementRow, AnnouncementStore, SqliteAnnouncements } from './outbox/announcer.js';
export {
  changeName,
  EMBEDDED_ROWS_INDEXES,
  embeddedAnnouncements,
  embeddedOutbox,
  embeddedRows,
  pushRows,
} from './outbox/embedded-rows.js';
export type { EmbeddedRows, RowCollection } from './outbox/embedded-rows.js';
export { OutboxRelay } from './outbox/relay.js';
export type { OutboxRow, OutboxStore, RowId } from './outbox/relay.js';
export { republish, TopicAhead } from './outbox/republish.js';
export type { Owned } from './outbox/republish.js';
export { OUTBOX_SCHEMA, sqliteOutbox } from './outbox/sqlite-outbox.js';
export type { SqliteOutbox } from './outbox/sqlite-outbox.js';
export { StaleIds } from './outbox/stale-ids.js';
export { TopicTail } from './outbox/topic-tail.js';
export { Projection } from './projections/projection.js';
export type { ChangeListener, FollowOptions, Found, Projected } from './projections/projection.js';
export { storedPages } from './projections/stored-pages.js';
export { readVersionedRecord, RecordUnreadable, versionedRecord } from './projections/versioned-record.js';
export { aheadOfStore, newestRecords, TopicDiffers } from './restore/ahead.js';
export type { Ahead, Newest } from './restore/ahead.js';
export { requireLogSince, RestoreRefused } from './restore/require-log-since.js';
