export { LogDamaged, LogInDoubt, LogRefused, requireKept, StoreFellBack } from './port.js';
export type {
  Appended,
  ConsumeOptions,
  Consumption,
  EventLog,
  EventReader,
  EventWriter,
  LogBatch,
  LogRecord,
  NewRecord,
  Offsets,
} from './port.js';
export { openSqliteLog } from './sqlite/sqlite-log.js';
export type { SqliteLog, SqliteLogOptions } from './sqlite/sqlite-log.js';
export { readSqliteLog, verifyLog } from './sqlite/read-sqlite-log.js';
export type { StoredLog, StoredLogFile } from './sqlite/read-sqlite-log.js';
export { openKafkaLog, readGroupMembers } from './kafka/open-kafka-log.js';
export type { GroupMemberAddress } from './kafka/group-members.js';
export type { KafkaLogOptions, KafkaSasl, KafkaTls } from './kafka/options.js';
