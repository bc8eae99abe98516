import type { TopicName } from '@countersign/contracts';
import type { TopicContext } from '../context.js';
import { storedPages } from '../projections/stored-pages.js';
import { readVersionedRecord, versionedRecord } from '../projections/versioned-record.js';

const PAGE = 1000;

/** A compacted topic has records that its owner's store lacks: the store was lost or restored from an older backup. */
export class TopicAhead extends Error {
  override readonly name = 'TopicAhead';
  constructor(what: string) {
    super(
      `${what}: put the newest state of the store back (distributed profile: what a copy lacks is taken from the topics ` +
        'by countersign admin restore)',
    );
  }
}

export interface Owned {
  readonly id: string;
  readonly version: number;
  readonly value: object;
}

/**
 * Publishes records of the store that a compacted topic lacks, or has in a lower version. Called by the topic's owner at
 * start, after its outbox has been sent. Resolves to the records that it
 * published, which are durable.
 * @param owned everything in the store
 * @param expires ids that the topic may have although the store has deleted them
 * @throws TopicAhead that names the id, if the topic has a higher version than the store, or an id that it lacks
 */
export async function republish(
  context: Pick<TopicContext, 'eventLog'>,
  topic: TopicName,
  owned: AsyncIterable<Owned> | Iterable<Owned>,
  expires: (id: string) => boolean = () => false,
): Promise<readonly Owned[]> {
  const inTopic = await versionsOf(context, topic);
  const again: Owned[] = [];
  for await (const entry of owned) {
    const version = inTopic.get(entry.id)?.version ?? 0;
    if (version > entry.version) {
      throw new TopicAhead(`topic ${topic} holds version ${version} of ${entry.id}, the store ${entry.version}`);
    }
    if (version < entry.version) again.push(entry);
    inTopic.delete(entry.id);
  }
  for (const [id, { gone }] of inTopic) {
    if (!gone && !expires(id)) throw new TopicAhead(`topic ${topic} holds ${id}, which the store does not know`);
  }
  for (let i = 0; i < again.length; i += PAGE) {
    const page = again.slice(i, i + PAGE);
    await context.eventLog.append(page.map(({ id, version, value }) => versionedRecord(topic, id, version, value)));
  }
  return again;
}

async function versionsOf(
  context: Pick<TopicContext, 'eventLog'>,
  topic: TopicName,
): Promise<Map<string, { readonly version: number; readonly gone: boolean }>> {
  const versions = new Map<string, { readonly version: number; readonly gone: boolean }>();
  for await (const records of storedPages(context.eventLog, topic)) {
    for (const record of records) {
      const { id, version, value } = readVersionedRecord<object>(record);
      if (version > (versions.get(id)?.version ?? 0)) versions.set(id, { version, gone: value === null });
    }
  }
  return versions;
}
