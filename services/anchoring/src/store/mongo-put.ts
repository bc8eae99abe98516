import type { mongo } from 'mongoose';
import { duplicatesOf } from '@countersign/document-store';

/** Writes documents whose ids say what they hold; those of an interrupted attempt are replaced. */
export async function put<T extends { readonly _id: string }>(
  collection: mongo.Collection<T>,
  documents: readonly T[],
): Promise<void> {
  if (documents.length === 0) return;
  const inserts = documents.map((document) => ({ insertOne: { document } })) as unknown as Bulk<T>;
  const there = await collection
    .bulkWrite(inserts, { ordered: false })
    .then(() => [] as readonly number[], duplicatesOf);
  if (there.length === 0) return;
  const replaces = there.map((i) => {
    const { _id, ...replacement } = documents[i]!;
    return { replaceOne: { filter: { _id }, replacement } };
  }) as unknown as Bulk<T>;
  await collection.bulkWrite(replaces, { ordered: false });
}

type Bulk<T extends { readonly _id: string }> = Parameters<mongo.Collection<T>['bulkWrite']>[0];
