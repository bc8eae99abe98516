import { createConnection, type mongo } from 'mongoose';
import { readingOptions, storedTable, suffixInUse } from '@countersign/document-store';
import type { Cell, StoredTable, StoredTables } from '@countersign/document-store';
import { arrivalCheck } from '../domain/arrival-check.js';
import { collectionsOf, type Collections, type LeavesDocument, type RootDocument } from './mongo-collections.js';
import { counts } from './mongo-journal.js';
import { bytesOf, unpackRows } from './mongo-rows.js';

/** The store as the tables of `schema.ts`; windows are numbered by their ids. */
export async function openStoredTables(uri: string): Promise<StoredTables> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const collections = collectionsOf(connection.db!, await suffixInUse(connection.db!, 'anchoring'));
  return { tables: tablesOf(collections), close: () => connection.close() };
}

function tablesOf(collections: Collections): readonly StoredTable[] {
  const { segments, windowAgents, windowLeaves, reports } = collections;
  return [
    storedTable('positions', 'topic partition next', async function* () {
      const root = await collections.root.findOne({ _id: 'root' });
      for (const [topic, offsets] of Object.entries(root?.positions ?? {})) {
        for (const [partition, next] of Object.entries(offsets)) yield [topic, Number(partition), next];
      }
    }),
    storedTable('agents', 'n id key last_sequence', () => agentsOf(collections)),
    storedTable('arrivals', 'cadence partition offset agent_n sequence hash check_sum', () => arrivalsOf(collections)),
    storedTable(
      'windows',
      'n id cadence number start_ms end_ms from_offsets offsets carried cut_published state root prev agent_count ' +
        'event_count signature slot block_height anchored_at network authority published memo tile_roots',
      () => windowsOf(collections),
    ),
    storedTable('segments', 'agent_n first_sequence hashes', async function* () {
      for await (const { agentN, first, hashes } of segments.find()) yield [agentN, first, bytesOf(hashes)];
    }),
    storedTable('window_agents', 'window_n leaf_index agent_n first_sequence last_sequence root', async function* () {
      for await (const { windowId, leafIndex, agentN, first, last, root } of windowAgents.find()) {
        yield [windowId, leafIndex, agentN, first, last, bytesOf(root)];
      }
    }),
    storedTable('window_leaves', 'window_n first_index hashes', async function* () {
      for await (const { windowId, firstIndex, hashes } of windowLeaves.find()) {
        yield [windowId, firstIndex, bytesOf(hashes)];
      }
    }),
    storedTable('reports', 'report_id content_hash signature slot block_height authority', async function* () {
      for await (const { _id, contentHash, anchored } of reports.find()) {
        const { signature = null, slot = null, blockHeight = null, authority = null } = anchored ?? {};
        yield [_id, contentHash, signature, slot, blockHeight, authority];
      }
    }),
  ];
}

async function* windowsOf({ windows }: Collections): AsyncGenerator<readonly Cell[]> {
  for await (const window of windows.find()) {
    const { todo, anchored } = window;
    yield [
      window._id,
      window._id,
      window.cadence,
      window.number,
      window.startMs,
      window.endMs,
      JSON.stringify(window.from),
      JSON.stringify(window.offsets),
      JSON.stringify(window.carried),
      todo === 'publish-cut' ? 0 : 1,
      todo === 'publish-cut' || todo === 'close' ? 'cut' : 'closed',
      window.root ?? null,
      window.prev ?? null,
      window.agentCount ?? null,
      window.eventCount ?? null,
      anchored?.signature ?? null,
      anchored?.slot ?? null,
      anchored?.blockHeight ?? null,
      anchored?.anchoredAt ?? null,
      anchored?.network ?? null,
      anchored?.authority ?? null,
      todo === 'done' ? 1 : 0,
      window.memo ?? null,
      window.tileRoots === undefined ? null : bytesOf(window.tileRoots),
    ];
  }
}

/** Agents as they stand at the positions: those that were not written up yet follow from the batches. */
async function* agentsOf({ root, leaves, agents }: Collections): AsyncGenerator<readonly Cell[]> {
  const lastOf = new Map<number, number>();
  const added = new Map<number, string>();
  for await (const batch of counted(root, leaves, ({ flushed }) => flushed)) {
    for (const { n, id } of batch.agents) added.set(n, id);
    for (const { agentN, sequence } of unpackRows(batch)) lastOf.set(agentN, sequence);
  }
  for await (const { _id, n, key, last } of agents.find()) {
    added.delete(n);
    yield [n, _id, bytesOf(key), Math.max(last, lastOf.get(n) ?? 0)];
  }
  for (const [n, id] of added) yield [n, id, null, lastOf.get(n) ?? 0];
}

/** Leaves as they were taken, as long as they are kept beside the segments. */
async function* arrivalsOf({ root, leaves }: Collections): AsyncGenerator<readonly Cell[]> {
  for await (const batch of counted(root, leaves, () => ({}))) {
    if (batch.rows === undefined) continue;
    for (const { cadence, offset, agentN, sequence, hash } of unpackRows(batch)) {
      const check = arrivalCheck(cadence, batch.p, offset, agentN, sequence, hash);
      yield [cadence, batch.p, offset, agentN, sequence, hash, check];
    }
  }
}

/** The batches that count and reach beyond `from`. */
async function* counted(
  roots: mongo.Collection<RootDocument>,
  leaves: mongo.Collection<LeavesDocument>,
  from: (root: RootDocument) => Readonly<Record<string, number>>,
): AsyncGenerator<LeavesDocument> {
  const root = await roots.findOne({ _id: 'root' });
  if (root === null) return;
  for (const [partition, position] of Object.entries(root.positions['agent-events'] ?? {})) {
    const begin = from(root)[partition] ?? 0;
    const among = { p: Number(partition), next: { $gt: begin }, from: { $lt: position } };
    for await (const batch of leaves.find(among, { batchSize: 16 }).sort({ p: 1, from: 1 })) {
      if (counts(root.terms, batch)) yield batch;
    }
  }
}
