import { createConnection } from 'mongoose';
import { readingOptions, storedTable, suffixInUse } from '@countersign/document-store';
import type { StoredTable, StoredTables } from '@countersign/document-store';
import { sumOfPartitions } from '../domain/usage.js';
import { collectionsOf } from './mongo-collections.js';
import type { PolicyCollections } from './mongo-collections.js';
import { totalsOfPart } from './mongo-following.js';

/** The store as the tables of `schema.ts`; totals as the topic `usage` tells them. */
export async function openStoredTables(uri: string): Promise<StoredTables> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const suffix = await suffixInUse(connection.db!, 'policy');
  return { tables: tablesOf(collectionsOf(connection, suffix)), close: () => connection.close() };
}

function tablesOf({ agents, positions, accountUsage, agentUsage }: PolicyCollections): readonly StoredTable[] {
  return [
    storedTable('positions', 'topic partition next', async function* () {
      for await (const { _id, next } of positions.find()) yield ['agent-events', _id, next];
    }),
    storedTable('agents', 'id revision facts', async function* () {
      for await (const { _id, revision, facts } of agents.find()) yield [_id, revision, facts];
    }),
    storedTable('account_totals', 'account_id totals', async function* () {
      for await (const { _id, parts } of accountUsage.find()) {
        const each = Object.entries(parts).map(([partition, part]) => totalsOfPart(_id, Number(partition), part));
        yield [_id, JSON.stringify(sumOfPartitions(_id, each))];
      }
    }),
    storedTable('agent_totals', 'agent_id totals', async function* () {
      for await (const { _id, totals } of agentUsage.find()) yield [_id, JSON.stringify(totals)];
    }),
    storedTable('outbox', 'topic key', async function* () {
      for await (const { outbox } of agents.find({ 'outbox.id': { $gt: '' } })) {
        for (const { topic, key } of outbox) yield [topic, key];
      }
    }),
  ];
}
