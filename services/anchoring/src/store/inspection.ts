import type { TopicName } from '@countersign/contracts';
import type { Problem } from '@countersign/document-store';
import type { CutWindow, WindowAgentRow } from './port.js';

export interface InspectedAgent {
  readonly n: number;
  readonly agentId: string;
  /** SHA-256 of the agent id; `null`: it is stored with the agent's first leaves only. */
  readonly key: Uint8Array | null;
  readonly lastSequence: number;
}

/** A leaf of an open window, or of one that was closed a short time ago. */
export interface InspectedArrival {
  readonly cadence: number;
  readonly partition: number;
  readonly offset: number;
  readonly agentN: number;
  readonly sequence: number;
  readonly hash: Uint8Array;
  /** Its checksum is the one of what is stored. */
  readonly isIntact: boolean;
}

/** The finalized transaction of a window or report; members that are not known are `null`. */
export interface InspectedAnchor {
  readonly signature: string | null;
  readonly slot: number | null;
  readonly blockHeight: number | null;
  readonly anchoredAt: string | null;
  readonly network: string | null;
  readonly authority: string | null;
  /** The memo to anchor; `null`: there is none. */
  readonly memo: string | null;
  /** Its submission is over. */
  readonly isSubmitted: boolean;
  /** The topic `anchors` has it whole. */
  readonly isPublished: boolean;
}

export interface InspectedWindow extends CutWindow, InspectedAnchor {
  /** Position in the order of all windows. */
  readonly n: number;
  readonly isCutPublished: boolean;
  readonly isClosed: boolean;
  /** Lower-case hex; `null`: none. */
  readonly root: string | null;
  readonly prev: string | null;
  readonly agentCount: number | null;
  readonly eventCount: number | null;
  /** Roots of its tiles, 32 bytes each; `null`: it has one tile, or an earlier release closed it. */
  readonly tileRoots: Uint8Array | null;
}

/** Hashes of consecutive leaves of an agent, 32 bytes each. */
export interface InspectedSegment {
  readonly agentN: number;
  readonly firstSequence: number;
  readonly hashes: Uint8Array;
}

export interface InspectedRun extends WindowAgentRow {
  /** `null`: the window is not stored. */
  readonly windowId: string | null;
}

export interface InspectedReport extends InspectedAnchor {
  readonly reportId: string;
  readonly contentHash: string;
}

/** Content of anchoring's store, read to be checked: nothing is created, changed or repaired. */
export interface AnchorInspection {
  /** By partition: the offset at which consumption continues. As of the time when the inspection was opened. */
  positions(topic: TopicName): Promise<ReadonlyMap<number, number>>;
  agents(): AsyncIterable<InspectedAgent>;
  /** Those below the positions, by partition, offset and cadence. */
  arrivals(): AsyncIterable<InspectedArrival>;
  /** By cadence and number. */
  windows(): AsyncIterable<InspectedWindow>;
  window(windowId: string): Promise<InspectedWindow | null>;
  /** By agent number and first sequence. */
  segments(): AsyncIterable<InspectedSegment>;
  /** Agents of all windows by agent number and first sequence. */
  runs(): AsyncIterable<InspectedRun>;
  /** Agents of a window by leaf index. */
  windowAgents(windowId: string, fromIndex?: number, limit?: number): AsyncIterable<WindowAgentRow>;
  /** Leaf hashes of a window's tree in order, 32 bytes each, in pieces. */
  windowLeaves(windowId: string): AsyncIterable<Uint8Array>;
  /** By report id. */
  reports(): AsyncIterable<InspectedReport>;
  /** The ids of events that are recognized when they are redelivered, 16 bytes each, in the order of their bytes. SQLite only. */
  seenIds?(): AsyncIterable<Uint8Array>;
  /** Rows that contradict other rows of the store in what the methods above do not give, and damaged ones. */
  problems(): AsyncIterable<Problem>;
  close(): Promise<void>;
}
