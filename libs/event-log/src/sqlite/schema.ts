import { TOPIC_NAMES, TOPICS } from '@countersign/contracts';
import type { TopicName } from '@countersign/contracts';
import { LogDamaged } from '../port.js';
import type { Connection } from './connection.js';

/** `application_id` of the file: "CSlg". */
export const APPLICATION_ID = 0x43536c67;
/** `user_version` of the file. A file of another format is refused, never migrated in place. */
const FORMAT_VERSION = 1;
/** An embedded topic has one partition; the file records it. */
export const PARTITIONS = 1;

export function tableOf(topic: TopicName): string {
  return `topic_${topic.replaceAll('-', '_')}`;
}

export function isCompacted(topic: TopicName): boolean {
  return TOPICS[topic].retention.kind === 'compacted';
}

/** Retention of a topic in days, or `null` when it is compacted. */
export function keptDays(topic: TopicName): number | null {
  const retention = TOPICS[topic].retention;
  return retention.kind === 'time' ? retention.days : null;
}

const META_DDL = 'CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID';
const TOPICS_DDL = 'CREATE TABLE topics (name TEXT PRIMARY KEY, begin_offset INTEGER NOT NULL) WITHOUT ROWID';

function tableDdl(topic: TopicName): string {
  return (
    `CREATE TABLE ${tableOf(topic)} (record_offset INTEGER PRIMARY KEY, appended_at INTEGER NOT NULL, ` +
    `record_key TEXT NOT NULL, checksum INTEGER NOT NULL, value TEXT NOT NULL)`
  );
}

function indexDdl(topic: TopicName): string {
  return `CREATE INDEX ${tableOf(topic)}_by_key ON ${tableOf(topic)} (record_key, record_offset)`;
}

function createTopic(connection: Connection, topic: TopicName): void {
  connection.exec(tableDdl(topic));
  if (isCompacted(topic)) connection.exec(indexDdl(topic));
  connection.prepare('INSERT INTO topics (name, begin_offset) VALUES (?, 0)').run(topic);
}

/** Creates the tables of an empty file in one transaction. */
export function createSchema(connection: Connection, nowMs: number): void {
  connection.transaction(() => {
    connection.pragma(`application_id = ${APPLICATION_ID}`);
    connection.pragma(`user_version = ${FORMAT_VERSION}`);
    connection.exec(META_DDL);
    connection.exec(TOPICS_DDL);
    const insert = connection.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
    insert.run('created', new Date(nowMs).toISOString());
    insert.run('partitions', String(PARTITIONS));
    for (const topic of TOPIC_NAMES) createTopic(connection, topic);
  })();
}

/**
 * Compares header, tables and partition count with those of this program; takes no longer for a big file. Throws
 * `LogDamaged` that names the file and the first difference. Returns the topics that the file does not have yet.
 */
export function checkSchema(connection: Connection, file: string): TopicName[] {
  const pragma = (name: string): unknown => connection.pragma(name, { simple: true });
  if (pragma('application_id') !== APPLICATION_ID) throw new LogDamaged(`${file} is not an event log of Countersign`);
  const version = pragma('user_version');
  if (version !== FORMAT_VERSION) {
    throw new LogDamaged(`${file} has format ${String(version)}, this program reads ${FORMAT_VERSION}`);
  }
  const found = new Map<string, string>();
  for (const row of connection.prepare('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL').all()) {
    const { name, sql } = row as { name: string; sql: string };
    found.set(name, sql);
  }
  const require = (name: string, ddl: string) => {
    if (found.get(name) !== ddl) throw new LogDamaged(`${file}: ${name} is missing or was altered`);
  };
  require('meta', META_DDL);
  require('topics', TOPICS_DDL);
  const partitions = connection.prepare("SELECT value FROM meta WHERE name = 'partitions'").pluck().get();
  if (partitions !== String(PARTITIONS)) {
    throw new LogDamaged(`${file} was made for ${String(partitions)} partitions, this program wants ${PARTITIONS}`);
  }
  const known = new Set(connection.prepare('SELECT name FROM topics').pluck().all());
  const missing: TopicName[] = [];
  for (const topic of TOPIC_NAMES) {
    if (!known.has(topic) && !found.has(tableOf(topic))) {
      missing.push(topic);
      continue;
    }
    require(tableOf(topic), tableDdl(topic));
    if (isCompacted(topic)) require(`${tableOf(topic)}_by_key`, indexDdl(topic));
    if (!known.has(topic)) throw new LogDamaged(`${file}: the entry of topic ${topic} is missing`);
  }
  return missing;
}

/** Creates the tables of topics that are new in this program. */
export function addTopics(connection: Connection, topics: readonly TopicName[]): void {
  if (topics.length === 0) return;
  connection.transaction(() => {
    for (const topic of topics) createTopic(connection, topic);
  })();
}
