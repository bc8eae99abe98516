import type { EventEnvelope } from './envelope.js';
import type { LeafEvent } from './leaf.js';
import type { AnchoredProof } from './package.js';
import type { AgentWindowProof, BehaviorProfile } from './records.js';

/** An event as the archive stores it. `openings` lacks values that were erased or never stored. */
export interface ArchivedEvent {
  readonly sequence: number;
  readonly envelope: EventEnvelope;
  readonly erased: boolean;
}

/** An event, and the profile with which it was decided. */
export interface EventWithProfile {
  readonly event: ArchivedEvent;
  /** As the event `profile.changed` of its version committed it; `null`: no event names the version, or it is erased. */
  readonly profile: BehaviorProfile | null;
}

/**
 * Range reads of audit-log, also of events beyond the log's retention. In process, or by HTTP with a service credential.
 * Every method answers for leaves that audit-log has stored; `caughtUp` waits for leaves that were just appended.
 */
export interface EventArchive {
  /** Sequences of the first and last leaf whose `occurredAt` lies in `[from, to)` (ISO), or `null` if there is none. */
  span(agentId: string, from: string, to: string): Promise<{ readonly first: number; readonly last: number } | null>;
  /** Leaves `first`…`last` (both included) in sequence order, at most `limit` (up to 1,000) of them. */
  range(agentId: string, first: number, last: number, limit: number): Promise<readonly ArchivedEvent[]>;
  /**
   * The time of the newest `count` checks of an agent: from the first of them, to after the last (ISO 8601); `null`: it
   * has none. At most 2,000.
   */
  newestChecks(agentId: string, count: number): Promise<{ readonly from: string; readonly to: string } | null>;
  /** The event of an account with the profile of then; `null`: the account has no such event. */
  withProfile(accountId: string, eventId: string): Promise<EventWithProfile | null>;
  /** Events that refer to any of these (outcomes, unanswered), whatever their time. At most 1,000 ids. */
  referring(eventIds: readonly string[]): Promise<readonly ArchivedEvent[]>;
  /** The leaves with these ids, in the order of the ids; unknown ids are skipped. At most 1,000 ids. */
  leaves(eventIds: readonly string[]): Promise<readonly LeafEvent[]>;
  /** Resolves once everything below these offsets of `agent-events` is stored. Throws after `timeoutMs`. */
  caughtUp(offsets: Readonly<Record<number, number>>, timeoutMs: number): Promise<void>;
}

/** An event whose content was erased by an order (`content.erased`). */
export interface ErasedContent {
  readonly eventId: string;
  readonly agentId: string;
  readonly sequence: number;
}

/**
 * Erasures of audit-log, for services that store copies of content. An order is pending until such a service acknowledges
 * that it has no copy left, so it survives a crash of either.
 */
export interface Erasures {
  /** Orders that are carried out in the archive and not acknowledged, at most `limit` (up to 1,000). */
  pending(limit: number): Promise<readonly ErasedContent[]>;
  /** Acknowledges that no stored copy opens the content of these events any more. At most 1,000 ids. */
  acknowledge(eventIds: readonly string[]): Promise<void>;
  /** Sequences among `first`…`last` whose content was erased by an order; retention does not count. */
  among(agentId: string, first: number, last: number): Promise<readonly number[]>;
}

/** Proofs of anchoring, for windows whose transaction is finalized. */
export interface ProofSource {
  /** The anchored windows of an agent that hold any of the sequences `first`…`last`, in sequence order. */
  windows(agentId: string, first: number, last: number): Promise<readonly AgentWindowProof[]>;
  /** Hashes of the agent's leaves `first`…`last` (hex), as the agent trees hold them. At most 100,000. */
  leafHashes(agentId: string, first: number, last: number): Promise<readonly string[]>;
  /** The proof of the agent's leaf with this sequence, for `eventId`; `null` if its window is not anchored. */
  proof(agentId: string, sequence: number, eventId: string): Promise<AnchoredProof | null>;
}
