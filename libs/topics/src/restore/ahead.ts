import { isDeepStrictEqual } from 'node:util';
import type { TopicName } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import type { Owned } from '../outbox/republish.js';
import { storedPages } from '../projections/stored-pages.js';
import { readVersionedRecord } from '../projections/versioned-record.js';

/** What a compacted topic says now of one id. `value: null`: it is gone. */
export interface Told<T> {
  readonly version: number;
  readonly value: T | null;
}

/** Something that the topic has in a higher version than the store of its owner. */
export interface Ahead<T> extends Told<T> {
  readonly id: string;
  /** Version in the store; 0: the store does not know it. */
  readonly stored: number;
}

/** Topic and store say different things of one version: they are not of one installation, or the store was changed since. */
export class TopicDiffers extends Error {
  override readonly name = 'TopicDiffers';
}

/**
 * The newest that a compacted topic says, by id.
 * @param wanted ids that are kept in memory; default: all
 */
export async function newestTold<T extends object>(
  log: Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>,
  topic: TopicName,
  wanted: (id: string) => boolean = () => true,
): Promise<Map<string, Told<T>>> {
  const told = new Map<string, Told<T>>();
  for await (const records of storedPages(log, topic)) {
    for (const record of records) {
      const { id, version, value } = readVersionedRecord<T>(record);
      if (wanted(id) && version > (told.get(id)?.version ?? 0)) told.set(id, { version, value });
    }
  }
  return told;
}

/**
 * What a compacted topic holds and its owner's store, restored from an older copy, does not. What is gone and was never
 * known is left out.
 * @param owned everything that the store holds
 * @throws TopicDiffers naming the id
 */
export async function aheadOfStore<T extends object>(
  log: Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>,
  topic: TopicName,
  owned: AsyncIterable<Owned>,
): Promise<readonly Ahead<T>[]> {
  const told = await newestTold<T>(log, topic);
  const ahead: Ahead<T>[] = [];
  for await (const { id, version, value } of owned) {
    const newest = told.get(id);
    told.delete(id);
    if (newest === undefined || newest.version < version) continue;
    if (newest.version > version) ahead.push({ id, stored: version, ...newest });
    else if (newest.value !== null && !isDeepStrictEqual(newest.value, value)) {
      throw new TopicDiffers(`topic ${topic} and the store say different things of version ${version} of ${id}`);
    }
  }
  for (const [id, newest] of told) if (newest.value !== null) ahead.push({ id, stored: 0, ...newest });
  return ahead;
}
