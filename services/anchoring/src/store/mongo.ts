import { createConnection } from 'mongoose';
import type { Sha256 } from '@countersign/evidence';
import { mongoOptions, tellingUnreachable } from '@countersign/service-kit';
import { mongoAnchors } from './mongo-anchors.js';
import { openCollections } from './mongo-collections.js';
import { mongoCuts } from './mongo-cuts.js';
import { MongoJournal } from './mongo-journal.js';
import { MongoLeaves } from './mongo-leaves.js';
import { MongoRoot } from './mongo-root.js';
import { mongoWindows } from './mongo-windows.js';
import type { AnchorStore } from './port.js';

export interface MongoStoreOptions {
  readonly sha256: Sha256;
  /** After so long without a sign of life another instance takes over, ms; 10,000 unless given. */
  readonly leaseMs?: number;
}

/** {@link AnchorStore} in MongoDB, for one leader and any number of standbys. */
export async function openMongoAnchorStore(
  uri: string,
  { sha256, leaseMs = 10_000 }: MongoStoreOptions,
): Promise<AnchorStore> {
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  const collections = await openCollections(connection.db!);
  const root = new MongoRoot(collections.root, leaseMs);
  const terms = async () => (root.leads ? leaves.state.terms : (await root.read()).terms);
  const journal = new MongoJournal(collections.leaves, terms);
  const leaves: MongoLeaves = new MongoLeaves(root, journal, collections, sha256);
  return tellingUnreachable<AnchorStore>({
    ...mongoCuts(root, leaves, collections),
    ...mongoWindows(root, leaves, journal, collections),
    ...mongoAnchors(root, collections),
    lead: (signal) => root.lead(signal, (found) => leaves.load(found)),
    position: async (topic, partition) => (await root.read()).positions[topic]?.[partition] ?? null,
    takeLeaves: (batch, position) => leaves.take(batch, position),
    async close() {
      try {
        await root.giveBack();
      } finally {
        await connection.close();
      }
    },
  });
}
