import type { mongo } from 'mongoose';
import type { Offsets } from '@countersign/event-log';
import type { Cut, Landed, Submission } from './port.js';

type Binary = mongo.Binary;

/** Offsets by partition as MongoDB keeps them. */
export type StoredOffsets = Record<string, number>;

export interface StoredCadence {
  readonly number: number;
  readonly openedAtMs: number | null;
  readonly lastEndMs: number | null;
  /** Where the open window begins. */
  readonly from: StoredOffsets;
}

export interface PendingWindow extends Cut {
  readonly windowId: string;
  readonly number: number;
  /** Place in the order of all windows. */
  readonly n: number;
  readonly from: StoredOffsets;
}

/**
 * The one document that decides what counts. Who leads, under which term, and how far each partition has been taken:
 * every change is conditional on the term, so no former leader writes after another has taken over.
 */
export interface RootDocument {
  readonly _id: 'root';
  readonly term: number;
  /** `null`: given back. */
  readonly owner: string | null;
  /** Rises while the owner lives. */
  readonly beat: number;
  /** From which offset on the leaves of a partition are those of a term, oldest first. */
  readonly terms: readonly { readonly term: number; readonly from: StoredOffsets }[];
  /** By topic, then partition. */
  readonly positions: Readonly<Record<string, StoredOffsets>>;
  /** How far `agents` and `carried` follow the leaves. */
  readonly flushed: StoredOffsets;
  /** Event ids before this time are forgotten, by partition, ms. */
  readonly floors: StoredOffsets;
  readonly cadences: Readonly<Record<string, StoredCadence>>;
  readonly pending: { readonly offsets: Offsets; readonly windows: readonly PendingWindow[] } | null;
  readonly nextAgent: number;
  readonly nextWindow: number;
}

/** One batch of a partition: never changed, and valid once the position of `root` is beyond it. */
export interface LeavesDocument {
  /** `<partition>:<from>:<term>` */
  readonly _id: string;
  readonly p: number;
  readonly term: number;
  /** The batch is what lies in `[from, next)`. */
  readonly from: number;
  readonly next: number;
  /** Ids of its events, 16 bytes each. */
  readonly ids: readonly Binary[];
  /** Newest time in `ids`, ms. */
  readonly newestMs: number;
  /** Rows as `mongo-rows.ts` packs them; removed when swept. */
  readonly rows?: Binary;
  readonly check: number;
  /** Agents whose first leaf is here. */
  readonly agents: readonly { readonly n: number; readonly id: string }[];
  readonly carried: readonly CarriedDocument[];
  readonly swept: boolean;
}

export interface AgentDocument {
  /** Agent id. */
  readonly _id: string;
  readonly n: number;
  readonly key: Binary;
  readonly last: number;
  readonly cadence: number | null;
  readonly window: number | null;
}

export interface CarriedDocument {
  /** `<stamp>:<agent number>:<cadence>:<window number>` */
  readonly _id: string;
  readonly stamp: number;
  readonly agentId: string;
  readonly cadence: number;
  readonly window: number;
  readonly p: number;
  /** Offset of the first such leaf. */
  readonly first: number;
}

/** A memo's way, in the document of what it is about. */
export interface Submitted {
  /** Who wrote last: a writer of an older term finds nothing to change. */
  readonly term: number;
  readonly memo?: string;
  readonly attempts?: Submission['attempts'];
  readonly landed?: Submission['landed'];
  /** Rises with each change of the three above. */
  readonly rev?: number;
  readonly queuedAtMs?: number;
  readonly anchored?: Landed;
}

export interface WindowDocument extends Submitted {
  /** Window id. */
  readonly _id: string;
  readonly n: number;
  readonly cadence: number;
  readonly number: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly from: StoredOffsets;
  readonly offsets: StoredOffsets;
  readonly carried: readonly string[];
  readonly todo: 'publish-cut' | 'close' | 'submit' | 'publish' | 'done';
  readonly root?: string;
  readonly prev?: string | null;
  readonly agentCount?: number;
  readonly eventCount?: number;
  readonly chunks?: number;
  /** Roots of the tiles of its leaves; none: it has one tile, or was closed by an earlier release. */
  readonly tileRoots?: Binary;
}

export interface ReportDocument extends Submitted {
  /** Report id. */
  readonly _id: string;
  readonly contentHash: string;
  readonly todo: 'submit' | 'publish' | 'done';
}

/** A run of an agent's leaf hashes. */
export interface SegmentDocument {
  /** `<agent number>:<first>` */
  readonly _id: string;
  readonly agentN: number;
  readonly first: number;
  readonly hashes: Binary;
}

export interface WindowAgentDocument {
  /** `<window id>:<leaf index>` */
  readonly _id: string;
  readonly windowId: string;
  readonly leafIndex: number;
  readonly agentN: number;
  readonly first: number;
  readonly last: number;
  readonly root: Binary;
}

/** At most 1 MiB of a window tree's leaf hashes. */
export interface WindowLeavesDocument {
  /** `<window id>:<first leaf index>` */
  readonly _id: string;
  readonly windowId: string;
  readonly firstIndex: number;
  readonly hashes: Binary;
}

export interface Collections {
  readonly root: mongo.Collection<RootDocument>;
  readonly leaves: mongo.Collection<LeavesDocument>;
  readonly agents: mongo.Collection<AgentDocument>;
  readonly carried: mongo.Collection<CarriedDocument>;
  readonly windows: mongo.Collection<WindowDocument>;
  readonly reports: mongo.Collection<ReportDocument>;
  readonly segments: mongo.Collection<SegmentDocument>;
  readonly windowAgents: mongo.Collection<WindowAgentDocument>;
  readonly windowLeaves: mongo.Collection<WindowLeavesDocument>;
}

/** @param suffix ends the names, see `Generation` */
export function collectionsOf(db: mongo.Db, suffix: string): Collections {
  const of = <T extends mongo.Document>(name: string): mongo.Collection<T> =>
    db.collection<T>(`anchoring_${name}${suffix}`);
  return {
    root: of('root'),
    leaves: of('leaves'),
    agents: of('agents'),
    carried: of('carried'),
    windows: of('windows'),
    reports: of('reports'),
    segments: of('segments'),
    windowAgents: of('window_agents'),
    windowLeaves: of('window_leaves'),
  };
}

/** anchoring's collections with the indexes that its queries need. */
export async function openCollections(db: mongo.Db, suffix: string): Promise<Collections> {
  const collections = collectionsOf(db, suffix);
  await Promise.all([
    collections.leaves.createIndexes([
      { key: { p: 1, from: 1 } },
      { key: { p: 1, swept: 1, from: 1 } },
      { key: { ids: 1 } },
    ]),
    collections.agents.createIndexes([{ key: { n: 1 } }]),
    collections.carried.createIndexes([{ key: { stamp: 1 } }, { key: { cadence: 1, window: 1 } }]),
    collections.windows.createIndexes([
      { key: { todo: 1, n: 1 } },
      { key: { todo: 1, endMs: 1 } },
      { key: { cadence: 1, startMs: 1 } },
    ]),
    collections.reports.createIndexes([{ key: { todo: 1, queuedAtMs: 1 } }]),
    collections.segments.createIndexes([{ key: { agentN: 1, first: 1 } }]),
    collections.windowAgents.createIndexes([{ key: { windowId: 1, leafIndex: 1 } }, { key: { agentN: 1, first: 1 } }]),
    collections.windowLeaves.createIndexes([{ key: { windowId: 1, firstIndex: 1 } }]),
  ]);
  return collections;
}
