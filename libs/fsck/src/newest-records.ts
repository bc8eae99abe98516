import { createHash } from 'node:crypto';
import type { TopicName } from '@countersign/contracts';
import { canonicalize } from '@countersign/evidence';
import type { StoredLog } from '@countersign/event-log';
import { readVersionedRecord } from '@countersign/topics';

/** The newest record of a key in a compacted topic. */
export interface Newest<T = object> {
  readonly version: number;
  readonly offset: number;
  /** Of the value in canonical form; `null`: it was removed. */
  readonly digest: string | null;
  /** Where it was asked for. */
  readonly value: T | null;
}

export interface Wanted {
  /** Default: every key. */
  readonly keys?: (key: string) => boolean;
  /** Keeps the values in addition to their digests. */
  readonly values?: boolean;
}

/**
 * The newest record of each key, by version.
 * @throws LogDamaged, RecordUnreadable naming the place
 */
export function newestRecords<T extends object>(
  log: StoredLog,
  topic: TopicName,
  { keys = () => true, values = false }: Wanted = {},
): Map<string, Newest<T>> {
  const newest = new Map<string, Newest<T>>();
  for (const record of log.records(topic)) {
    if (!keys(record.key)) continue;
    const { id, version, value } = readVersionedRecord<T>(record);
    if (version < (newest.get(id)?.version ?? 0)) continue;
    const digest = value === null ? null : digestOf(value);
    newest.set(id, { version, offset: record.offset, digest, value: values ? value : null });
  }
  return newest;
}

/** SHA-256 of the canonical form: equal for what says the same. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalize(value)).digest('base64');
}
