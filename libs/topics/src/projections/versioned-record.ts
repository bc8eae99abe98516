import { TOPICS } from '@countersign/contracts';
import type { TopicName, VersionedRecord } from '@countersign/contracts';
import type { LogRecord, NewRecord } from '@countersign/event-log';

/** Builds the message by which `id` has this value from this version on; `null`: it is removed. */
export function versionedRecord<T>(topic: TopicName, id: string, version: number, value: T | null): NewRecord {
  if (TOPICS[topic].retention.kind !== 'compacted') throw new Error(`${topic} has no versioned records`);
  if (!Number.isSafeInteger(version) || version < 1) throw new RangeError(`version ${version} of ${topic} ${id}`);
  const record: VersionedRecord<T> = { v: 1, id, version, value };
  return { topic, key: id, value: JSON.stringify(record) };
}

/** A record of a compacted topic cannot be read: the projection is blocked, nothing is skipped. */
export class RecordUnreadable extends Error {
  override readonly name = 'RecordUnreadable';
}

/** @throws RecordUnreadable that names topic and offset, for anything but a version-1 record of its key */
export function readVersionedRecord<T>(record: LogRecord): VersionedRecord<T> {
  const place = `${record.topic}/${record.partition}/${record.offset}`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(record.value).toString('utf8'));
  } catch {
    throw new RecordUnreadable(`${place} is not JSON`);
  }
  if (typeof parsed !== 'object' || parsed === null) throw new RecordUnreadable(`${place} is not an object`);
  const { v, id, version, value } = parsed as Partial<VersionedRecord<T>>;
  if (v !== 1) throw new RecordUnreadable(`${place} has a format that this release does not know`);
  if (id !== record.key) throw new RecordUnreadable(`${place} names another id than its key`);
  if (!Number.isSafeInteger(version) || version === undefined || version < 1) {
    throw new RecordUnreadable(`${place} has no version`);
  }
  if (value === undefined || (value !== null && typeof value !== 'object')) {
    throw new RecordUnreadable(`${place} has no value`);
  }
  return { v: 1, id, version, value };
}
