export * from './service/definition.js';
export * from './service/signing-key-operator.js';
export { kafkaCredentials } from './adapters/kafka-credentials.js';
export * from './edge/http-contract.js';
export { AddressAllowance, placeOf } from './edge/address-allowance.js';
export { HttpAnswer, writeAnswer } from './edge/answer.js';
export type { AnswerBody } from './edge/answer.js';
export { RawBody } from './edge/raw-body.js';
export type { RouteInput } from './edge/route-input.js';
export { HttpRoute, Input } from './hosting/decorators.js';
export { readApiKeyHeaders, readSessionHeader } from './credentials/credential-headers.js';
export { apiKeyProblem, endedKeyProblem } from './credentials/credential-problem.js';
export { hasOneOf } from './credentials/authenticator.js';
export { sessionTokens } from './credentials/session-tokens.js';
export type { SessionClaims, SessionTokens } from './credentials/session-tokens.js';
export { Projection } from './projections/projection.js';
export type { ChangeListener, FollowOptions, Found, Projected } from './projections/projection.js';
export { storedPages } from './projections/stored-pages.js';
export { readVersionedRecord, RecordUnreadable, versionedRecord } from './projections/versioned-record.js';
export { OutboxRelay } from './outbox/relay.js';
export type { OutboxRow, OutboxStore, RowId } from './outbox/relay.js';
export { OUTBOX_SCHEMA, sqliteOutbox } from './outbox/sqlite-outbox.js';
export type { SqliteOutbox } from './outbox/sqlite-outbox.js';
export { park } from './dead-letters/park.js';
export { openDatabase, StoreDamaged } from '@countersign/document-store';
export type { SqliteDatabase } from '@countersign/document-store';
export { randomUUID as uuidV4 } from 'node:crypto';
export { Announcer, ANNOUNCEMENTS_SCHEMA, sqliteAnnouncements } from './outbox/announcer.js';
export type { Announcement, AnnouncementRow, AnnouncementStore, SqliteAnnouncements } from './outbox/announcer.js';
export { mongoOptions, readingOptions } from '@countersign/document-store';
export {
  duplicatesOf,
  isDuplicateKey,
  isUnreachable,
  StoreUnreachable,
  tellingUnreachable,
} from '@countersign/document-store';
export { storedTable } from './mongo/stored-tables.js';
export type { Cell, StoredTable, StoredTables } from './mongo/stored-tables.js';
export { keepNewer } from './mongo/keep-newer.js';
export { RebuildFence } from './mongo/rebuild-fence.js';
export type { StoreRebuild } from './mongo/store-rebuild.js';
export { StoreSwap, SwapRefused } from './mongo/store-swap.js';
export type { SwapDatabase, SwapOptions, SwapStep } from './mongo/store-swap.js';
export { SeenEvents } from './mongo/seen-events.js';
export type { SeenDocument } from './mongo/seen-events.js';
export {
  changeName,
  EMBEDDED_ROWS_INDEXES,
  embeddedAnnouncements,
  embeddedOutbox,
  embeddedRows,
  pushRows,
} from './mongo/embedded-rows.js';
export type { EmbeddedRows, RowCollection } from './mongo/embedded-rows.js';
export { republish, TopicAhead } from './outbox/republish.js';
export type { Owned } from './outbox/republish.js';
export { aheadOfStore, newestTold, TopicDiffers } from './restore/ahead.js';
export type { Ahead, Told } from './restore/ahead.js';
export { requireLogSince, RestoreRefused } from './restore/restored.js';
export type { Restored, RestoreContext, RestoreOptions } from './restore/restored.js';
export { StaleIds } from './outbox/stale-ids.js';
export { TopicTail } from './outbox/topic-tail.js';
export { compileSchema } from './edge/validation.js';
export type { SchemaCheck } from './edge/validation.js';
export { addressOf, CLIENT_ADDRESS_HEADER } from './edge/edge.js';
export { AddressInUse, httpAddress } from './edge/server.js';
export type { ListenOn } from './edge/server.js';
export { endLingering } from './edge/unread-body.js';
export { Neighbourhood } from './service/neighbourhood.js';
export { contextFor, startServices } from './service/start-services.js';
export type { StartedServices, ThreadContext } from './service/start-services.js';
export { serveThread } from './service/serve-thread.js';
export type { ServeOptions, ServingThread } from './service/serve-thread.js';
export { startOrder } from './service/start-order.js';
export { joinEmbedded, openEmbedded } from './adapters/embedded.js';
export type { EmbeddedBackends, SharedBackends } from './adapters/embedded.js';
export type { Backends } from './adapters/backends.js';
export { remoteNeighbour } from './neighbours/remote-neighbour.js';
export type { RemotePlace } from './neighbours/remote-neighbour.js';
export { Waiting } from './service/waiting.js';
export { run } from './process/run.js';
export { inTurns, Turn } from './process/turn.js';
export { GRACE_MS } from './process/running-process.js';
export type { RunningProcess } from './process/running-process.js';
