import { createConnection, type mongo } from 'mongoose';
import type { TopicName } from '@countersign/contracts';
import { readingOptions, suffixInUse } from '@countersign/document-store';
import type { Problem } from '@countersign/document-store';
import { WindowDamaged } from '../domain/agent-fold.js';
import type {
  AnchorInspection,
  InspectedAgent,
  InspectedAnchor,
  InspectedArrival,
  InspectedReport,
  InspectedRun,
  InspectedSegment,
  InspectedWindow,
} from './inspection.js';
import {
  collectionsOf,
  type Collections,
  type LeavesDocument,
  type ReportDocument,
  type RootDocument,
  type StoredOffsets,
  type WindowAgentDocument,
  type WindowDocument,
} from './mongo-collections.js';
import { cutWindow } from './mongo-cuts.js';
import { counts } from './mongo-journal.js';
import { bytesOf, unpackRows, type LeafRow } from './mongo-rows.js';
import type { WindowAgentRow } from './port.js';

const DOCUMENTS = 16;

/** {@link AnchorInspection} of a database. @throws when no server answers */
export async function openMongoInspection(uri: string): Promise<AnchorInspection> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  try {
    const collections = collectionsOf(connection.db!, await suffixInUse(connection.db!, 'anchoring'));
    const root = await collections.root.findOne({ _id: 'root' });
    return new MongoInspection(collections, root, () => connection.close());
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class MongoInspection implements AnchorInspection {
  /** @param root as of the time when the inspection was opened; `null`: no instance has led yet */
  constructor(
    private readonly collections: Collections,
    private readonly root: RootDocument | null,
    readonly close: () => Promise<void>,
  ) {}

  async positions(topic: TopicName): Promise<ReadonlyMap<number, number>> {
    const offsets = Object.entries(this.root?.positions[topic] ?? {});
    return new Map(offsets.map(([partition, next]) => [Number(partition), next]));
  }

  /** As of the positions: what batches hold beyond the stored agents is added. */
  async *agents(): AsyncGenerator<InspectedAgent> {
    const lastOf = new Map<number, number>();
    const added = new Map<number, string>();
    for await (const batch of this.#batches(this.root?.flushed ?? {})) {
      for (const { n, id } of batch.agents) added.set(n, id);
      for (const { agentN, sequence } of rowsOf(batch)) lastOf.set(agentN, sequence);
    }
    for await (const { _id, n, key, last } of this.collections.agents.find()) {
      added.delete(n);
      yield { n, agentId: _id, key: bytesOf(key), lastSequence: Math.max(last, lastOf.get(n) ?? 0) };
    }
    for (const [n, agentId] of added) yield { n, agentId, key: null, lastSequence: lastOf.get(n) ?? 0 };
  }

  async *arrivals(): AsyncGenerator<InspectedArrival> {
    for await (const batch of this.#batches({})) {
      for (const { cadence, offset, agentN, sequence, hash } of rowsOf(batch)) {
        yield { cadence, partition: batch.p, offset, agentN, sequence, hash, isIntact: true };
      }
    }
  }

  async *windows(): AsyncGenerator<InspectedWindow> {
    for await (const window of this.collections.windows.find().sort({ cadence: 1, number: 1 })) yield windowOf(window);
  }

  async window(windowId: string): Promise<InspectedWindow | null> {
    const found = await this.collections.windows.findOne({ _id: windowId });
    return found === null ? null : windowOf(found);
  }

  async *segments(): AsyncGenerator<InspectedSegment> {
    for await (const { agentN, first, hashes } of this.collections.segments.find().sort(BY_AGENT)) {
      yield { agentN, firstSequence: first, hashes: bytesOf(hashes) };
    }
  }

  async *runs(): AsyncGenerator<InspectedRun> {
    for await (const run of this.collections.windowAgents.find().sort(BY_AGENT)) {
      yield { windowId: run.windowId, ...runOf(run) };
    }
  }

  async *windowAgents(windowId: string, fromIndex = 0, limit = 0): AsyncGenerator<WindowAgentRow> {
    const found = this.collections.windowAgents.find({ windowId, leafIndex: { $gte: fromIndex } });
    for await (const run of found.sort({ windowId: 1, leafIndex: 1 }).limit(limit)) yield runOf(run);
  }

  async *windowLeaves(windowId: string): AsyncGenerator<Uint8Array> {
    const found = this.collections.windowLeaves.find({ windowId }).sort({ windowId: 1, firstIndex: 1 });
    for await (const { hashes } of found) yield bytesOf(hashes);
  }

  async *reports(): AsyncGenerator<InspectedReport> {
    for await (const report of this.collections.reports.find().sort({ _id: 1 })) {
      yield { reportId: report._id, contentHash: report.contentHash, ...anchorOf(report) };
    }
  }

  async *problems(): AsyncGenerator<Problem> {
    for await (const batch of this.#batches({})) {
      try {
        if (batch.rows !== undefined) unpackRows(batch);
      } catch (error) {
        if (!(error instanceof WindowDamaged)) throw error;
        yield { place: `leaves ${batch._id}`, problem: error.message };
      }
    }
  }

  /** The batches that count, below the positions and beyond `from`. */
  async *#batches(from: StoredOffsets): AsyncGenerator<LeavesDocument> {
    if (this.root === null) return;
    const positions = Object.entries(this.root.positions['agent-events'] ?? {});
    for (const [partition, position] of positions.sort(([a], [b]) => Number(a) - Number(b))) {
      const among = { p: Number(partition), next: { $gt: from[partition] ?? 0 }, from: { $lt: position } };
      const found = this.collections.leaves.find(among, { batchSize: DOCUMENTS }).sort({ p: 1, from: 1 });
      for await (const batch of found) if (counts(this.root.terms, batch)) yield batch;
    }
  }
}

const BY_AGENT = { agentN: 1, first: 1 } as const satisfies mongo.Sort;

/** None of a batch that was swept, or that is damaged: `problems` names that. */
function rowsOf(batch: LeavesDocument): readonly LeafRow[] {
  if (batch.rows === undefined) return [];
  try {
    return unpackRows(batch);
  } catch (error) {
    if (error instanceof WindowDamaged) return [];
    throw error;
  }
}

function windowOf(window: WindowDocument): InspectedWindow {
  const { n, todo, root = null, prev = null, agentCount = null, eventCount = null, tileRoots } = window;
  return {
    ...cutWindow(window),
    ...anchorOf(window),
    n,
    isCutPublished: todo !== 'publish-cut',
    isClosed: todo !== 'publish-cut' && todo !== 'close',
    root,
    prev,
    agentCount,
    eventCount,
    tileRoots: tileRoots === undefined ? null : bytesOf(tileRoots),
  };
}

function anchorOf({ anchored, memo, todo }: WindowDocument | ReportDocument): InspectedAnchor {
  return {
    signature: anchored?.signature ?? null,
    slot: anchored?.slot ?? null,
    blockHeight: anchored?.blockHeight ?? null,
    anchoredAt: anchored?.anchoredAt ?? null,
    network: anchored?.network ?? null,
    authority: anchored?.authority ?? null,
    memo: memo ?? null,
    isSubmitted: todo === 'publish' || todo === 'done',
    isPublished: todo === 'done',
  };
}

function runOf({ leafIndex, agentN, first, last, root }: WindowAgentDocument): WindowAgentRow {
  return { leafIndex, agentN, firstSequence: first, lastSequence: last, root: bytesOf(root) };
}
