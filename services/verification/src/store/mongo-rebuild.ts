import { createConnection } from 'mongoose';
import { readingOptions, StoreSwap } from '@countersign/document-store';
import type { StoreRebuild } from '@countersign/document-store';
import { collectionsOf } from './mongo.js';

/** Every fact is in a topic: nothing is taken over. */
export async function openRebuild(uri: string): Promise<StoreRebuild> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const names = Object.values({ ...collectionsOf(connection) }).map(({ collectionName }) => collectionName);
  return {
    group: 'verification',
    swap: new StoreSwap(connection.db!, 'verification', names),
    inUse: async () => null,
    takeOver: async () => [],
    close: () => connection.close(),
  };
}
