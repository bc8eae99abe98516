import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TopicName } from '@countersign/contracts';
import { LogDamaged } from '../port.js';
import { connectReading, connectWriting, isDamage, useWriteAheadLog } from './connection.js';
import type { Connection } from './connection.js';
import { addTopics, checkSchema, createSchema } from './schema.js';

/** Written next to the log when a sync or write failed: the next opening checks every page first. */
export function latchMark(file: string): string {
  return `${file}.failed`;
}

export function leaveLatchMark(file: string, reason: string): void {
  try {
    writeFileSync(latchMark(file), `${reason}\n`, { mode: 0o600 });
  } catch {
    // The disk accepts nothing any more; the writer refuses anyway.
  }
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The file appears whole under its name or not at all, so that a short file is always damage and never a new log. */
function createFile(file: string, nowMs: number): void {
  const draft = `${file}.new`;
  for (const leftover of [draft, `${draft}-journal`]) rmSync(leftover, { force: true });
  const connection = connectWriting(draft, true);
  try {
    createSchema(connection, nowMs);
  } finally {
    connection.close();
  }
  renameSync(draft, file);
  syncDirectory(dirname(file));
}

function quickCheck(connection: Connection, file: string): void {
  const answer: unknown = connection.pragma('quick_check(1)', { simple: true });
  if (answer !== 'ok') throw new LogDamaged(`${file} is damaged: ${String(answer)}`);
}

/** Inspects an existing file read-only. Returns the topics that it lacks. */
function inspect(file: string, everyPage: boolean): TopicName[] {
  let connection: Connection | undefined;
  try {
    connection = connectReading(file);
    if (everyPage) quickCheck(connection, file);
    return checkSchema(connection, file);
  } catch (error) {
    if (isDamage(error)) throw new LogDamaged(`${file} is damaged: ${(error as Error).message}`, { cause: error });
    throw error;
  } finally {
    connection?.close();
  }
}

/**
 * Opens the log for its one writer, creates it where there is none, and moves what a crash left in the write-ahead log
 * durably into the file before anything reads it. Throws `LogDamaged` naming the file; overwrites nothing.
 */
export function openForWriting(file: string, nowMs: number): Connection {
  if (!existsSync(file)) {
    if (existsSync(`${file}-wal`)) throw new LogDamaged(`${file} is missing although ${file}-wal is there`);
    createFile(file, nowMs);
  }
  const failedBefore = existsSync(latchMark(file));
  const missing = inspect(file, failedBefore);
  const connection = connectWriting(file, false);
  try {
    useWriteAheadLog(connection);
    const [checkpoint] = connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    if (checkpoint?.busy !== 0) throw new Error(`${file} is in use by another process`);
    addTopics(connection, missing);
    if (failedBefore) rmSync(latchMark(file), { force: true });
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
