import type { SubmissionIntent } from '@countersign/chain';
import type { TopicName } from '@countersign/contracts';
import type { Offsets } from '@countersign/event-log';
import type { Segment } from '../domain/agent-fold.js';
import type { CadenceClock } from '../domain/window-label.js';

export interface Position {
  readonly topic: TopicName;
  readonly partition: number;
  readonly next: number;
}

/** A leaf as it comes from the log. */
export interface ArrivingLeaf {
  readonly eventId: string;
  readonly agentId: string;
  readonly cadenceSeconds: number;
  readonly hash: Uint8Array;
  readonly offset: number;
  /** When it came, ms: the log's time or ours, whichever is earlier. */
  readonly cameAtMs: number;
}

/** One cadence's window is over. */
export interface Cut {
  readonly cadenceSeconds: number;
  readonly startMs: number;
  readonly endMs: number;
}

export interface CutWindow {
  readonly windowId: string;
  readonly cadenceSeconds: number;
  readonly number: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Where the window begins and ends, by partition; a partition that is not in `from` begins at 0. */
  readonly from: Offsets;
  readonly offsets: Offsets;
  readonly carried: readonly string[];
}

/** A leaf of a window that is being closed. */
export interface WindowLeaf {
  readonly agentN: number;
  readonly sequence: number;
  readonly hash: Uint8Array;
}

export interface LeafCursor {
  readonly partition: number;
  readonly offset: number;
}

export interface LeafPage {
  readonly leaves: readonly WindowLeaf[];
  /** Where the next page begins; `null`: this was the last. */
  readonly next: LeafCursor | null;
}

/** An agent's row in a closed window, in the order of `leafIndex`. */
export interface WindowAgentRow {
  readonly leafIndex: number;
  readonly agentN: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly root: Uint8Array;
}

export interface StoredWindowAgent extends WindowAgentRow {
  readonly agentId: string;
  /** SHA-256 of the agent id, 32 bytes. */
  readonly agentKey: Uint8Array;
}

export interface ClosedWindow {
  readonly windowId: string;
  readonly cadenceSeconds: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Lower-case hex. */
  readonly merkleRoot: string;
  /** `null` for the first window of its cadence. */
  readonly prev: string | null;
  readonly agentCount: number;
  readonly eventCount: number;
}

/** A memo on its way to the chain. Its `id` is `window:<id>` or `report:<id>`. */
export interface Submission extends SubmissionIntent {
  readonly id: string;
}

export interface Landed {
  readonly signature: string;
  readonly slot: number;
  readonly blockHeight: number;
  readonly anchoredAt: string;
  readonly network: string;
  /** Address that signed. */
  readonly authority: string;
}

export interface AnchoredReport extends Landed {
  readonly reportId: string;
  readonly contentHash: string;
}

export type AnchoredWindow = ClosedWindow & Landed;

/** Where an agent stands in an anchored window. */
export interface AnchoredPlace {
  readonly window: AnchoredWindow;
  readonly agentKey: Uint8Array;
  readonly leafIndex: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly root: Uint8Array;
}

export interface Waiting {
  /** Windows that are cut and not anchored. */
  readonly windows: number;
  /** Label end of the last window that was closed and is anchored, ms. */
  readonly lastAnchoredEndMs: number | null;
}

/** The right to write; one instance has it at a time. */
export interface Lead {
  /** Resolves with the reason once it is over. */
  readonly ended: Promise<string>;
}

/** The lead was not given, or is over: the write had no effect, or one that the next leader takes into account. */
export class LeadEnded extends Error {
  override readonly name = 'LeadEnded';
}

/**
 * anchoring's store.
 * - Writing, and reading what is to be written next, needs the lead (`LeadEnded` without it); all else any instance may.
 * - Each writing method MUST be all or nothing, durable when it resolves.
 * - `takeLeaves` MUST number the leaves of an agent from 1 without a gap in the order given, take an event id once, and
 *   put each into the open window of its effective cadence.
 * - What is read back of leaves MUST be what was taken: a changed row is `WindowDamaged`, never a leaf.
 */
export interface AnchorStore {
  /** Waits until no other instance leads. @throws the signal's reason */
  lead(signal: AbortSignal): Promise<Lead>;
  position(topic: TopicName, partition: number): Promise<number | null>;
  takeLeaves(leaves: readonly ArrivingLeaf[], position: Position): Promise<void>;

  cadences(): Promise<readonly CadenceClock[]>;
  /** `true` when a window of this cadence was cut under this label. */
  isCut(cadenceSeconds: number, startMs: number): Promise<boolean>;
  /** The latest time in the ids of the events that are remembered, ms; `null`: there is none. */
  newestEventMs(): Promise<number | null>;
  /**
   * Ends the open windows of these cadences at `offsets`, above which nothing has been taken. What lies below and comes
   * later still goes into them, what lies above into the next ones. Only while no cut is pending.
   */
  cut(cuts: readonly Cut[], offsets: Offsets): Promise<void>;
  /** Where a recorded cut lies that is not complete. */
  pendingCut(): Promise<Offsets | null>;
  /** Everything below the pending cut has been taken: its windows hold all that they ever will. */
  completeCut(): Promise<void>;
  /** Complete cuts that are not published, oldest first. */
  unpublishedCuts(limit: number): Promise<readonly CutWindow[]>;
  markCutsPublished(windowIds: readonly string[]): Promise<void>;

  /** The oldest window that is cut, published and not closed; remains of an interrupted closing are removed. */
  nextToClose(): Promise<CutWindow | null>;
  readLeaves(window: CutWindow, from: LeafCursor | null, limit: number): Promise<LeafPage>;
  saveSegments(windowId: string, segments: readonly Segment[]): Promise<void>;
  /** Keys of agents by number, 32 bytes each. */
  agentKeys(agents: readonly number[]): Promise<readonly Uint8Array[]>;
  /** One tile of the window: its agents and the hashes of their leaves. */
  saveWindowAgents(windowId: string, agents: readonly WindowAgentRow[], leafHashes: Uint8Array): Promise<void>;
  /** Root of the window closed before it of the same cadence. */
  previousRoot(window: CutWindow): Promise<string | null>;
  /**
   * The window is closed for ever; its memo waits to be submitted.
   * @param tileRoots of its tiles in order, 32 bytes each; `null` where it has one tile
   */
  closeWindow(window: ClosedWindow, memo: string, tileRoots: Uint8Array | null): Promise<void>;
  /** Drops up to `limit` leaves of closed windows that are kept twice; `false` when none is left. */
  sweep(limit: number): Promise<boolean>;

  closedWindow(windowId: string): Promise<ClosedWindow | null>;
  /** Root of the closed window with this label; `null` when there is none. */
  rootAt(cadenceSeconds: number, startMs: number): Promise<string | null>;
  /** Agents of a closed window from `fromIndex` on, in order. */
  windowAgents(windowId: string, fromIndex: number, limit: number): Promise<readonly StoredWindowAgent[]>;
  /** Hashes of an agent's leaves in closed windows, 32 bytes each; fewer than asked where they end. */
  leafHashes(agentId: string, first: number, last: number): Promise<Uint8Array>;

  /** Once for each report; a repetition changes nothing. */
  requestReports(
    reports: readonly { readonly reportId: string; readonly contentHash: string; readonly memo: string }[],
    position: Position,
  ): Promise<void>;
  /** Memos whose finalized transaction is not known in full, oldest first. */
  openSubmissions(limit: number): Promise<readonly Submission[]>;
  saveSubmission(submission: Submission): Promise<void>;
  saveAnchored(id: string, landed: Landed): Promise<void>;

  /** Anchored windows that are not published entirely, with the first chunk to publish. */
  unpublishedWindows(
    limit: number,
  ): Promise<readonly { readonly window: AnchoredWindow; readonly fromChunk: number }[]>;
  markChunkPublished(windowId: string, chunk: number, last: boolean): Promise<void>;
  unpublishedReports(limit: number): Promise<readonly AnchoredReport[]>;
  markReportsPublished(reportIds: readonly string[]): Promise<void>;

  /** The closed window with this label; `null` when there is none. One that is not anchored yet has no `landed`. */
  windowAt(
    cadenceSeconds: number,
    startMs: number,
  ): Promise<{ readonly closed: ClosedWindow; readonly landed: Landed | null } | null>;
  /** Labels of the closed windows that overlap a time (`to` is not in it), oldest first, at most `limit`. */
  labelsBetween(
    fromMs: number,
    toMs: number,
    limit: number,
  ): Promise<readonly Pick<ClosedWindow, 'cadenceSeconds' | 'startMs'>[]>;
  places(agentId: string, first: number, last: number): Promise<readonly AnchoredPlace[]>;
  /** Leaf hashes of a closed window's tree, 32 bytes each. */
  windowLeafHashes(windowId: string): Promise<Uint8Array>;
  /** Roots of its tiles, 32 bytes each; `null`: it has one, or an earlier release closed it. */
  windowTileRoots(windowId: string): Promise<Uint8Array | null>;
  /** Leaf hashes of the tile that begins at this leaf; empty where none does. */
  windowTile(windowId: string, firstIndex: number): Promise<Uint8Array>;
  waiting(): Promise<Waiting>;
  close(): Promise<void>;
}
