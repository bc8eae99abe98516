import { createConnection } from 'mongoose';
import { readingOptions, storedTable, suffixInUse } from '@countersign/document-store';
import type { Cell, StoredTable, StoredTables } from '@countersign/document-store';
import { collectionsOf, uuidText, type Collections } from './mongo-collections.js';

/** Partition and offset in one number that sorts as they do: {@link StoredTables} order events by it. */
const PARTITION = 2 ** 40;

/** The store as the tables of `schema.ts`; agents and accounts are numbered by their ids, events by their place. */
export async function openStoredTables(uri: string): Promise<StoredTables> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const collections = collectionsOf(connection.db!, await suffixInUse(connection.db!, 'audit-log'));
  return { tables: tablesOf(collections), close: () => connection.close() };
}

function tablesOf(collections: Collections): readonly StoredTable[] {
  const { events, heads, blocked, classes, positions, windows, agentWindows } = collections;
  return [
    storedTable('positions', 'topic partition next', async function* () {
      for await (const { topic, partition, next } of positions.find()) yield [topic, partition, next];
    }),
    storedTable('classes', 'n type outcome allowed violation_type', async function* () {
      for await (const { _id, type, outcome, allowed, violationType } of classes.find()) {
        yield [_id, type, outcome, allowed === null ? null : Number(allowed), violationType];
      }
    }),
    storedTable('agents', 'n id account_n last_sequence checks', async function* () {
      for await (const { _id, accountId, sequence, checks } of heads.find()) {
        yield [uuidText(_id), uuidText(_id), accountId, sequence, checks];
      }
    }),
    storedTable('blocked', 'account_n partition count', async function* () {
      for await (const { accountId, partition, count } of blocked.find()) yield [accountId, partition, count];
    }),
    storedTable(
      'events',
      'n event_id account_n agent_n sequence occurred_at class_n blocked erased refers_to leaf facts openings',
      async function* () {
        for await (const event of events.find()) {
          yield [
            event.partition * PARTITION + event.offset,
            Buffer.from(event._id.toHexString(false), 'hex'),
            event.accountId,
            uuidText(event.agentId),
            event.sequence,
            event.at,
            event.class,
            event.blocked === true ? 1 : 0,
            event.erased === true ? 1 : 0,
            event.refersTo === undefined ? null : Buffer.from(event.refersTo.toHexString(false), 'hex'),
            event.leaf,
            event.facts,
            event.openings ?? null,
          ];
        }
      },
    ),
    storedTable('hour_counts', 'scope hour class_n count', () => hoursOf(collections)),
    storedTable(
      'windows',
      'n id window_start window_end merkle_root tx_signature block_height anchored_at',
      async function* () {
        for await (const one of windows.find()) {
          const { _id, windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt } = one;
          yield [_id, _id, windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt];
        }
      },
    ),
    storedTable('agent_windows', 'agent_n first_sequence last_sequence window_n', async function* () {
      for await (const { agentId, first, last, windowId } of agentWindows.find()) {
        yield [uuidText(agentId), first, last, windowId];
      }
    }),
  ];
}

async function* hoursOf({ hours }: Collections): AsyncGenerator<readonly Cell[]> {
  for await (const { scope, hour, counts } of hours.find()) {
    for (const [name, count] of Object.entries(counts)) yield [scope, hour, name, count];
  }
}
