export { Conflict, StoreUnreachable, UniqueTaken } from './port.js';
export type {
  Collection,
  DocumentStore,
  Keys,
  KeyValue,
  OutgoingRecord,
  Query,
  Range,
  Reads,
  RowId,
  Stored,
  Transaction,
  VersionRaise,
  Where,
} from './port.js';
export { openSqliteDocumentStore } from './sqlite/sqlite-document-store.js';
export { openMongoDocumentStore } from './mongo/open-mongo-document-store.js';
export { openDatabase, StoreDamaged } from './sqlite/open-database.js';
export type { SqliteDatabase } from './sqlite/open-database.js';
export { mongoOptions, readingOptions } from './mongo/connection-options.js';
export { duplicatesOf, isDuplicateKey, isUnreachable, tellingUnreachable } from './mongo/mongo-errors.js';
