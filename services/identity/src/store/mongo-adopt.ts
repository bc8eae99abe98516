import { changeName } from '@countersign/service-kit';
import type { mongo } from 'mongoose';
import type { MongoChanges } from './mongo-changes.js';
import type { IdentityCollections } from './mongo-collections.js';
import type { Adoption } from './port.js';

/** Writes what the topics tell over what is stored, under a change of its own. */
export async function adoptInto(
  { accounts, apiKeys, sessions }: IdentityCollections,
  changes: Pick<MongoChanges, 'reserve'>,
  adoption: Adoption,
): Promise<void> {
  const at = await changes.reserve();
  const name = changeName(at);
  await all(
    accounts,
    adoption.accounts.map(({ id, version, facts }) => upsert(id, { version, facts: JSON.stringify(facts), at })),
  );
  await all(
    apiKeys,
    adoption.apiKeys.map(({ id, version, facts }, i) =>
      upsert(
        id,
        { version, accountId: facts.accountId, facts: JSON.stringify(facts), at },
        { order: `${name}/${String(i).padStart(6, '0')}`, lastUsedAt: null },
      ),
    ),
  );
  await all(
    sessions,
    adoption.sessions.map(({ id, version, facts }) => {
      const { userId, expiresAt, revokedAt } = facts;
      return upsert(id, { version, userId, expiresAt, revoked: revokedAt !== null, facts: JSON.stringify(facts), at });
    }),
  );
  const goneAt = new Date();
  await all(
    sessions,
    adoption.goneSessions.map((_id) => ({ replaceOne: { filter: { _id }, replacement: { at, goneAt } } })),
  );
}

function upsert(_id: string, set: object, onInsert: object = {}): object {
  return {
    updateOne: { filter: { _id }, update: { $set: set, $setOnInsert: onInsert, $unset: { goneAt: '' } }, upsert: true },
  };
}

async function all<D extends mongo.Document>(
  collection: mongo.Collection<D>,
  writes: readonly object[],
): Promise<void> {
  if (writes.length > 0)
    await collection.bulkWrite([...writes] as mongo.AnyBulkWriteOperation<D>[], { ordered: false });
}
