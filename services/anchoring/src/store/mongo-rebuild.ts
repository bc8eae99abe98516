import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type mongo } from 'mongoose';
import { GenerationRebuild, readingOptions, suffixInUse } from '@countersign/document-store';
import type { StoreRebuild } from '@countersign/document-store';
import { collectionsOf, type RootDocument } from './mongo-collections.js';
import { LEASE_MS } from './mongo.js';

type Roots = mongo.Collection<RootDocument>;

const LOOK_MS = 250;
/** A standby takes a lead that is free within half a second. */
const FREE_MS = 1_500;

/** Windows and reports are in the log; instances show by the lead, as they are in no consumer group. */
export async function openRebuild(uri: string): Promise<StoreRebuild> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const db = connection.db!;
  const names = Object.values({ ...collectionsOf(db, '') }).map(({ collectionName }) => collectionName);
  const inUse = async (): Promise<Roots> => collectionsOf(db, await suffixInUse(db, 'anchoring')).root;
  return {
    group: null,
    generation: new GenerationRebuild(db, 'anchoring', names),
    inUse: async () => whoLeads(await inUse()),
    async takeOver(suffix) {
      await raiseTerm(await inUse(), collectionsOf(db, suffix).root);
      return [];
    },
    close: () => connection.close(),
  };
}

/** A leader writes a heartbeat four times a lease. */
async function whoLeads(root: Roots): Promise<string | null> {
  const look = () => root.findOne({ _id: 'root' }, { projection: { term: 1, beat: 1, owner: 1 } });
  const first = await look();
  const until = performance.now() + ((first?.owner ?? null) === null ? FREE_MS : LEASE_MS);
  while (performance.now() < until) {
    await sleep(LOOK_MS);
    const now = await look();
    if (now?.term !== first?.term || now?.beat !== first?.beat)
      return 'an instance of anchoring leads: stop all of them';
  }
  return null;
}

/** Terms only grow, also over a rebuild. */
async function raiseTerm(damaged: Roots, fresh: Roots): Promise<void> {
  const [was, is] = await Promise.all([damaged.findOne({ _id: 'root' }), fresh.findOne({ _id: 'root' })]);
  if (is === null || !Number.isSafeInteger(was?.term)) return;
  await fresh.updateOne({ _id: 'root' }, { $set: { term: Math.max(was!.term, is.term) + 1 } });
}
