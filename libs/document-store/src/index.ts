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
export { OLDER_LAYOUTS, olderDocuments, START_OLDER_ONCE } from './copy-older.js';
export type { OlderDocuments } from './copy-older.js';
export type { OlderLayout, OlderRow, ReadOlder } from './mongo/take-over.js';
export { OtherLayout } from './inspect.js';
export type { DocumentInspection, OwnedDocument, Problem, StoreInspection } from './inspect.js';
export { InspectedDocuments, inspectDocuments } from './inspected-documents.js';
export type { InspectionSource } from './inspected-documents.js';
export { POSITIONS, readPositions } from './positions.js';
export { notJson, openForInspection, openReadOnly, rowProblems } from './sqlite/inspect-tables.js';
export type { RowQuestion } from './sqlite/inspect-tables.js';
export { DOCUMENT_TABLES, documentTable } from './sqlite/schema.js';
export { openSqliteDocumentStore } from './sqlite/sqlite-document-store.js';
export { openMongoDocumentStore, openMongoRebuild, openMongoStore } from './mongo/open-mongo-document-store.js';
export { Generation, suffixInUse } from './mongo/generation.js';
export { GenerationRebuild } from './mongo/rebuild-generation.js';
export { openDatabase, StoreDamaged } from './sqlite/open-database.js';
export type { SqliteDatabase } from './sqlite/open-database.js';
export { mongoOptions, readingOptions } from './mongo/connection-options.js';
export { duplicatesOf, isDuplicateKey, tellingUnreachable } from './mongo/mongo-errors.js';
export type { StoreRebuild } from './own-tables/store-rebuild.js';
