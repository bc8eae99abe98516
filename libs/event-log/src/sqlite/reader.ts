import { TOPIC_NAMES } from '@countersign/contracts';
import type { TopicName } from '@countersign/contracts';
import { LogDamaged } from '../port.js';
import type { LogRecord } from '../port.js';
import { recordChecksum } from './checksum.js';
import { connectReading, isDamage } from './connection.js';
import type { Connection, Statement } from './connection.js';
import { isCompacted, tableOf } from './schema.js';

/** A read ends after the record with which its values exceed this many bytes. */
const READ_BYTES = 8 * 1024 * 1024;

type Row = [offset: number, appendedAtMs: number, key: string, checksum: number, value: Uint8Array];

interface TopicStatements {
  readonly read: Statement;
  readonly last: Statement;
  readonly first: Statement;
}

/** Time for which records that one consumer read serve the others of its thread, ms. */
const RECENT_MS = 200;

interface RecentRead {
  readonly records: readonly LogRecord[];
  readonly atMs: number;
}

/**
 * Reads the log over its own connection; each call is one short read. A topic that the program which wrote the file did
 * not know is empty. Throws `LogDamaged` for damaged content.
 */
export class LogReader {
  readonly #file: string;
  readonly #connection: Connection;
  readonly #topics: ReadonlyMap<TopicName, TopicStatements>;
  readonly #begin: Statement;
  readonly #recent = new Map<TopicName, RecentRead>();

  constructor(file: string) {
    this.#file = file;
    this.#connection = connectReading(file);
    this.#begin = this.#connection.prepare('SELECT begin_offset FROM topics WHERE name = ?').pluck();
    const tables = new Set(this.#connection.prepare('SELECT name FROM sqlite_schema').pluck().all());
    this.#topics = new Map(
      TOPIC_NAMES.filter((topic) => tables.has(tableOf(topic))).map((topic) => {
        const prepare = (sql: string) => this.#connection.prepare(sql);
        const table = tableOf(topic);
        return [
          topic,
          {
            read: prepare(
              `SELECT record_offset, appended_at, record_key, checksum, CAST(value AS BLOB) FROM ${table}
               WHERE record_offset >= ? ORDER BY record_offset LIMIT ?`,
            ).raw(),
            last: prepare(`SELECT max(record_offset) FROM ${table}`).pluck(),
            first: prepare(`SELECT min(record_offset) FROM ${table}`).pluck(),
          },
        ];
      }),
    );
  }

  begin(topic: TopicName): number {
    return this.#guard(() => {
      const first = (this.#topics.get(topic)?.first.get() ?? null) as number | null;
      return first ?? this.#recordedBegin(topic);
    });
  }

  end(topic: TopicName): number {
    return this.#guard(() => {
      const last = (this.#topics.get(topic)?.last.get() ?? null) as number | null;
      return last === null ? this.#recordedBegin(topic) : last + 1;
    });
  }

  /** Records from `from` on. Throws `LogDamaged` when retention deleted records at or after `from`. */
  read(topic: TopicName, from: number, limit: number): LogRecord[] {
    return this.#guard(() => {
      const records: LogRecord[] = [];
      const statements = this.#topics.get(topic);
      if (statements === undefined) return records;
      let bytes = 0;
      const whole = !isCompacted(topic);
      for (const row of statements.read.iterate(from, limit) as IterableIterator<Row>) {
        if (whole && row[0] !== from + records.length) this.#refuseGap(topic, from, from + records.length, row[0]);
        records.push(this.#record(topic, row));
        bytes += row[4].byteLength;
        if (bytes > READ_BYTES) break;
      }
      if (whole && records.length === 0 && from < this.#recordedBegin(topic)) this.#refuseGap(topic, from, from, from);
      return records;
    });
  }

  /** As `read`, from the last read where that begins at or before `from` and extends beyond it. */
  recent(topic: TopicName, from: number, limit: number): readonly LogRecord[] {
    const now = performance.now();
    const before = this.#recent.get(topic);
    if (before !== undefined && now - before.atMs < RECENT_MS && !isCompacted(topic)) {
      const skipped = from - (before.records[0]?.offset ?? Number.POSITIVE_INFINITY);
      if (skipped === 0 && before.records.length <= limit) return before.records;
      if (skipped >= 0 && skipped < before.records.length) return before.records.slice(skipped, skipped + limit);
    }
    const records = this.read(topic, from, limit);
    if (records.length > 0 && !isCompacted(topic)) this.#recent.set(topic, { records, atMs: now });
    return records;
  }

  /** Every record of a topic, in order. */
  *all(topic: TopicName): Generator<LogRecord> {
    let next = this.begin(topic);
    for (;;) {
      const records = this.read(topic, next, 1000);
      const last = records.at(-1);
      if (last === undefined) return;
      yield* records;
      next = last.offset + 1;
    }
  }

  close(): void {
    this.#connection.close();
  }

  #recordedBegin(topic: TopicName): number {
    return (this.#begin.get(topic) as number | undefined) ?? 0;
  }

  /** A time-retained topic has no gaps: before its beginning records are missed, after it they are lost. */
  #refuseGap(topic: TopicName, from: number, missing: number, found: number): never {
    const begin = this.#recordedBegin(topic);
    if (from < begin) {
      throw new LogDamaged(`${topic}: offset ${from} is no longer kept, the first is ${begin}: messages were missed`);
    }
    throw new LogDamaged(`${this.#file}: the records of ${topic} from offset ${missing} to ${found - 1} are missing`);
  }

  #record(topic: TopicName, [offset, appendedAtMs, key, checksum, value]: Row): LogRecord {
    if (recordChecksum(offset, appendedAtMs, key, value) !== checksum) {
      throw new LogDamaged(`${this.#file}: the record of ${topic} at offset ${offset} is damaged`);
    }
    return { topic, partition: 0, offset, key, value, appendedAtMs };
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      throw new LogDamaged(`${this.#file} is damaged: ${(error as Error).message}`, { cause: error });
    }
  }
}
