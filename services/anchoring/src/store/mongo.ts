import { createConnection, type Connection } from 'mongoose';
import type { Sha256 } from '@countersign/evidence';
import { mongoOptions, Generation, tellingUnreachable } from '@countersign/document-store';
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
  /** After this time without a heartbeat another instance takes over, ms; {@link LEASE_MS} unless given. */
  readonly leaseMs?: number;
  /** Of collections that a rebuild fills. */
  readonly suffix?: string | undefined;
}

export const LEASE_MS = 10_000;

/**
 * {@link AnchorStore} in MongoDB, for one leader and any number of standbys.
 * @throws when no server answers
 */
export async function openMongoAnchorStore(uri: string, options: MongoStoreOptions): Promise<AnchorStore> {
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  try {
    return await storeOn(connection, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function storeOn(
  connection: Connection,
  { sha256, leaseMs = LEASE_MS, suffix }: MongoStoreOptions,
): Promise<AnchorStore> {
  const generation = suffix === undefined ? await Generation.open(connection.db!, 'anchoring') : null;
  const collections = await openCollections(connection.db!, generation?.suffix ?? suffix ?? '');
  const root = new MongoRoot(collections.root, leaseMs);
  const terms = async () => (root.leads ? leaves.state.terms : (await root.read()).terms);
  const journal = new MongoJournal(collections.leaves, terms);
  const leaves: MongoLeaves = new MongoLeaves(root, journal, collections, sha256);
  return tellingUnreachable<AnchorStore>({
    ...mongoCuts(root, leaves, collections),
    ...mongoWindows(root, leaves, journal, collections),
    ...mongoAnchors(root, collections),
    async lead(signal) {
      await generation?.require();
      return root.lead(signal, async (found) => {
        await generation?.require();
        await leaves.load(found);
      });
    },
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
