import { createConnection, type mongo } from 'mongoose';
import { readingOptions, type Cell, type StoredTable, type StoredTables } from '@countersign/service-kit';
import { collectionsOf } from './mongo-collections.js';
import type { Change, IdentityCollections } from './mongo-collections.js';

/** A thing that a topic tells of. */
interface Told {
  readonly _id: string;
  readonly version: number;
  readonly facts: string;
  readonly goneAt?: Date;
}

/** The store as the tables of `schema.ts`, as they are once the change in the head is applied. */
export async function openStoredTables(uri: string): Promise<StoredTables> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  try {
    const collections = collectionsOf(connection);
    const head = await collections.head.findOne({ _id: 'head' });
    return { tables: tablesOf(collections, head?.change ?? null), close: () => connection.close() };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function tablesOf(collections: IdentityCollections, change: Change | null): readonly StoredTable[] {
  const { accounts, apiKeys, sessions } = collections;
  const things = <D extends Told>(
    name: string,
    collection: mongo.Collection<D>,
    changed: readonly Told[],
    removed: readonly string[] = [],
  ): StoredTable => ({
    name,
    columns: ['id', 'version', 'facts'],
    rows: () => current(collection, changed, removed),
  });
  return [
    things('accounts', accounts, change?.accounts ?? []),
    things('api_keys', apiKeys, change?.apiKeys ?? []),
    things('sessions', sessions, change?.sessions ?? [], change?.removedSessions),
    { name: 'outbox', columns: ['topic', 'key'], rows: () => outboxOf(collections, change) },
  ];
}

async function* current<D extends Told>(
  collection: mongo.Collection<D>,
  changed: readonly Told[],
  removed: readonly string[],
): AsyncGenerator<readonly Cell[]> {
  const over = new Set([...changed.map(({ _id }) => _id), ...removed]);
  for await (const thing of collection.find()) {
    const { _id, version, facts, goneAt } = thing as Told;
    if (goneAt === undefined && !over.has(_id)) yield [_id, version, facts];
  }
  for (const { _id, version, facts } of changed) yield [_id, version, facts];
}

async function* outboxOf({ told }: IdentityCollections, change: Change | null): AsyncGenerator<readonly Cell[]> {
  for (const { topic, key } of change?.outbox ?? []) yield [topic, key];
  for await (const { outbox } of told.find({ 'outbox.id': { $gt: '' } })) {
    for (const { topic, key } of outbox) yield [topic, key];
  }
}
