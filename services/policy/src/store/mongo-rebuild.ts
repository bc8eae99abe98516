import { createConnection } from 'mongoose';
import { GenerationRebuild, readingOptions, suffixInUse } from '@countersign/document-store';
import type { StoreRebuild } from '@countersign/document-store';
import { GROUP } from '../follow/check-follower.js';
import { collectionsOf } from './mongo-collections.js';

/** Agents are in their topic, totals follow from the log: nothing is taken over. */
export async function openRebuild(uri: string): Promise<StoreRebuild> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const db = connection.db!;
  const names = Object.values({ ...collectionsOf(connection) }).map(({ collectionName }) => collectionName);
  return {
    group: GROUP,
    generation: new GenerationRebuild(db, 'policy', names),
    inUse: async () => null,
    // An outbox that makes no sense may have held some.
    async unpublished() {
      const { agents } = collectionsOf(connection, await suffixInUse(db, 'policy'));
      return agents.countDocuments({ outbox: { $exists: true, $nin: [null, []] } } as object);
    },
    takeOver: async () => [],
    close: () => connection.close(),
  };
}
