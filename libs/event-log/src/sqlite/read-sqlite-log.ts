import { existsSync } from 'node:fs';
import { messageOf } from '@countersign/async';
import { TOPIC_NAMES } from '@countersign/contracts';
import type { TopicName } from '@countersign/contracts';
import { LogDamaged } from '../port.js';
import type { LogRecord, Offsets } from '../port.js';
import { connectReading, isDamage } from './connection.js';
import { LogReader } from './reader.js';
import { checkSchema } from './schema.js';

/** The log of a stopped instance, read-only. */
export interface StoredLog {
  /** Every record in offset order; throws `LogDamaged` at the first damaged one. */
  records(topic: TopicName): Iterable<LogRecord>;
  beginOffsets(topic: TopicName): Offsets;
  endOffsets(topic: TopicName): Offsets;
  close(): void;
}

/** A stored log in one file, which has one partition per topic. */
export interface StoredLogFile extends StoredLog {
  /** As `EventReader.read`. Throws `LogDamaged`. */
  read(topic: TopicName, fromOffset: number, limit: number): readonly LogRecord[];
}

/** Throws `LogDamaged` when the file is missing, not a log, or its header or tables are damaged. */
export function readSqliteLog(file: string): StoredLogFile {
  openAndCheck(file, false);
  const reader = new LogReader(file);
  return {
    records: (topic) => reader.all(topic),
    read: (topic, fromOffset, limit) => reader.read(topic, fromOffset, limit),
    beginOffsets: (topic) => ({ 0: reader.begin(topic) }),
    endOffsets: (topic) => ({ 0: reader.end(topic) }),
    close: () => reader.close(),
  };
}

/**
 * Reads every page and every record. Returns the problems in plain words, each naming the file; empty when there are
 * none.
 */
export function verifyLog(file: string): string[] {
  const problems: string[] = [];
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      problems.push(messageOf(error));
    }
  };
  attempt(() => openAndCheck(file, true));
  if (problems.length > 0) return problems;
  const reader = new LogReader(file);
  for (const topic of TOPIC_NAMES) {
    attempt(() => {
      for (const record of reader.all(topic)) void record;
    });
  }
  reader.close();
  return problems;
}

function openAndCheck(file: string, everyPage: boolean): void {
  if (!existsSync(file)) throw new LogDamaged(`${file} is missing`);
  let connection;
  try {
    connection = connectReading(file);
    if (everyPage) {
      const answer: unknown = connection.pragma('integrity_check(1)', { simple: true });
      if (answer !== 'ok') throw new LogDamaged(`${file} is damaged: ${String(answer)}`);
    }
    checkSchema(connection, file);
  } catch (error) {
    if (isDamage(error)) throw new LogDamaged(`${file} is damaged: ${(error as Error).message}`, { cause: error });
    throw error;
  } finally {
    connection?.close();
  }
}
