import { createConnection } from 'mongoose';
import { GenerationRebuild, readingOptions, suffixInUse } from '@countersign/document-store';
import type { StoreRebuild } from '@countersign/document-store';
import { collectionsOf, type Collections, type InboxDocument } from './mongo-collections.js';

/** Events and anchors are in the log. No topic has up to which event an inbox was acknowledged. */
export async function openRebuild(uri: string): Promise<StoreRebuild> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const db = connection.db!;
  const names = Object.values({ ...collectionsOf(db, '') }).map(({ collectionName }) => collectionName);
  return {
    group: 'audit-log',
    generation: new GenerationRebuild(db, 'audit-log', names),
    inUse: async () => null,
    async takeOver(suffix) {
      const damaged = collectionsOf(db, await suffixInUse(db, 'audit-log'));
      return takeAcknowledgements(damaged, collectionsOf(db, suffix));
    },
    close: () => connection.close(),
  };
}

async function takeAcknowledgements(damaged: Collections, fresh: Collections): Promise<readonly string[]> {
  let lost = 0;
  for await (const inbox of damaged.inboxes.find()) {
    const taken = await acknowledgedIn(fresh, inbox);
    if (taken === null) lost += 1;
    else await fresh.inboxes.insertOne(taken);
  }
  return lost === 0 ? [] : [`acknowledgements of the inbox: ${lost} accounts have damaged ones`];
}

/** The acknowledgement, counted again in the leaves that are there now; `null`: the stored one is invalid. */
async function acknowledgedIn(fresh: Collections, inbox: InboxDocument): Promise<InboxDocument | null> {
  const { _id, acknowledgedAt } = inbox;
  const through: unknown = inbox.through === undefined ? {} : inbox.through;
  if (typeof acknowledgedAt !== 'string' || Number.isNaN(Date.parse(acknowledgedAt))) return null;
  if (typeof through !== 'object' || through === null) return null;
  const taken: Record<string, { offset: number; count: number }> = {};
  for (const [name, upTo] of Object.entries(through) as [string, { readonly offset?: unknown } | null][]) {
    const partition = Number(name);
    const offset = upTo?.offset;
    if (!Number.isInteger(partition) || typeof offset !== 'number') return null;
    if (!Number.isSafeInteger(offset) || offset < 0) return null;
    const position = await fresh.positions.findOne({ _id: `agent-events/${partition}` });
    // Beyond the end it would hide what comes.
    const end = Math.min(offset, position?.next ?? 0);
    const among = { accountId: _id, blocked: true, partition, offset: { $lt: end } } as const;
    taken[name] = { offset: end, count: await fresh.events.countDocuments(among) };
  }
  return { _id, acknowledgedAt, through: taken };
}
