import { isDeepStrictEqual } from 'node:util';
import type { TopicName } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import type { Owned } from '../outbox/republish.js';
import { storedPages } from '../projections/stored-pages.js';
import { readVersionedRecord } from '../projections/versioned-record.js';

/** The newest record of one id in a compacted topic. `value: null`: it was removed. */
export interface Newest<T> {
  readonly version: number;
  readonly value: T | null;
}

/** A record that the topic has in a higher version than the store of its owner. */
export interface Ahead<T> extends Newest<T> {
  readonly id: string;
  /** Version in the store; 0: not stored. */
  readonly stored: number;
}

/** Topic and store differ in the same version: they belong to different installations, or the store was changed since. */
export class TopicDiffers extends Error {
  override readonly name = 'TopicDiffers';
}

/**
 * Reads the newest records of a compacted topic, by id.
 * @param wanted ids that are kept in memory; default: all
 */
export async function newestRecords<T extends object>(
  log: Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>,
  topic: TopicName,
  wanted: (id: string) => boolean = () => true,
): Promise<Map<string, Newest<T>>> {
  const newest = new Map<string, Newest<T>>();
  for await (const records of storedPages(log, topic)) {
    for (const record of records) {
      const { id, version, value } = readVersionedRecord<T>(record);
      if (wanted(id) && version > (newest.get(id)?.version ?? 0)) newest.set(id, { version, value });
    }
  }
  return newest;
}

/**
 * Compares a compacted topic with its owner's store after that was restored from an older backup, and returns the records
 * that the store lacks. Ids that were removed and never stored are left out.
 * @param owned everything in the store
 * @throws TopicDiffers that names the id
 */
export async function aheadOfStore<T extends object>(
  log: Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>,
  topic: TopicName,
  owned: AsyncIterable<Owned>,
): Promise<readonly Ahead<T>[]> {
  const records = await newestRecords<T>(log, topic);
  const ahead: Ahead<T>[] = [];
  for await (const { id, version, value } of owned) {
    const newest = records.get(id);
    records.delete(id);
    if (newest === undefined || newest.version < version) continue;
    if (newest.version > version) ahead.push({ id, stored: version, ...newest });
    else if (newest.value !== null && !isDeepStrictEqual(newest.value, value)) {
      throw new TopicDiffers(`topic ${topic} and the store differ in version ${version} of ${id}`);
    }
  }
  for (const [id, newest] of records) if (newest.value !== null) ahead.push({ id, stored: 0, ...newest });
  return ahead;
}
