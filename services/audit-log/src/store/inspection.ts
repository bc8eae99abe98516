import type { TopicName } from '@countersign/contracts';
import type { Problem } from '@countersign/document-store';
import type { EventClass } from '../domain/event-class.js';
import type { AnchoredWindow } from './port.js';

/** Position of an event in the order of the archive. */
export interface ArchivePlace {
  /** 0 in SQLite. */
  readonly partition: number;
  /** In MongoDB the offset of the event's record in `agent-events`; in SQLite a row number in the order of the offsets. */
  readonly offset: number;
}

/** An archived event without its texts. Columns that name a missing row are `null`. */
export interface EventOutline {
  readonly at: ArchivePlace;
  readonly eventId: string;
  readonly agentId: string | null;
  readonly accountId: string | null;
  readonly sequence: number;
  readonly occurredAtMs: number;
  readonly class: EventClass | null;
  readonly blocked: boolean;
  readonly erased: boolean;
  readonly refersTo: string | null;
  /** Trace id by which the event is found. */
  readonly trace: string | null;
  /** Rule by which the event is counted. */
  readonly rule: string | null;
  readonly hasOpenings: boolean;
}

export interface InspectedEvent extends EventOutline {
  /** The canonical text, exactly as hashed. */
  readonly leaf: string;
  /** JSON: the envelope without leaf and openings. */
  readonly facts: string;
  /** JSON; `null`: the event has none, or they were erased. */
  readonly openings: string | null;
}

export interface InspectedAgent {
  readonly agentId: string;
  readonly accountId: string | null;
  readonly lastSequence: number;
  readonly checks: number;
}

/** Events of one class in one hour since the epoch. */
export interface HourCount {
  readonly of: 'agent' | 'account';
  readonly id: string;
  readonly hour: number;
  readonly class: EventClass | null;
  /** Counts of the same agent or account, hour and class add up. */
  readonly count: number;
}

export interface BlockedCount {
  readonly accountId: string;
  /** Blocked events of the account after `after`; all of them when it is `null`. */
  readonly count: number;
  readonly after: ArchivePlace | null;
}

/** Events of one partition in `[from, to)`, by offset. */
export interface ArchiveRange {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

export interface AgentRun {
  readonly agentId: string;
  readonly firstSequence: number;
}

/** Content of the archive, read to be checked: nothing is created, changed or repaired. */
export interface ArchiveInspection {
  /** By partition: the offset at which consumption continues. As of the time when the inspection was opened. */
  positions(topic: TopicName): Promise<ReadonlyMap<number, number>>;
  /** In the order of their places; all of them when no range is given. */
  events(range?: ArchiveRange): AsyncIterable<InspectedEvent>;
  /** The same events in the same order. */
  outlines(): AsyncIterable<EventOutline>;
  /** Events of the types `content.erased` and `retention.applied` that refer to an event. */
  orders(): AsyncIterable<EventOutline>;
  /** By id; ids that are not archived are left out. */
  find(eventIds: readonly string[]): Promise<ReadonlyMap<string, InspectedEvent>>;
  /** Events that are stored and not yet in every count: those from the position on. */
  uncounted(): Promise<number>;

  agents(): AsyncIterable<InspectedAgent>;
  hourCounts(): AsyncIterable<HourCount>;
  /** At most one per account. */
  blockedCounts(): AsyncIterable<BlockedCount>;

  windowIds(): AsyncIterable<string>;
  windows(ids: readonly string[]): Promise<ReadonlyMap<string, Omit<AnchoredWindow, 'agents'>>>;
  /** In the order of `runs`; `null`: no anchored run of the agent begins there. */
  agentWindows(
    runs: readonly AgentRun[],
  ): Promise<readonly ({ readonly lastSequence: number; readonly windowId: string | null } | null)[]>;
  countAgentWindows(): Promise<number>;

  /** Rows that contradict other rows of the store in what the methods above do not give. */
  problems(): AsyncIterable<Problem>;
  close(): Promise<void>;
}
