import type { EventEnvelope } from './envelope.js';
import type { LeafEvent } from './leaf.js';
import type { AgentWindowProof } from './records.js';

/** An event as the archive keeps it. `openings` lacks what was erased or never kept. */
export interface ArchivedEvent {
  readonly sequence: number;
  readonly envelope: EventEnvelope;
  readonly erased: boolean;
}

/**
 * audit-log's range read: the truth beyond the log's retention. In process, or HTTP with a service credential.
 * Every method answers for leaves that audit-log has stored; `waitFor` lets a caller wait for one just appended.
 */
export interface EventArchive {
  /** Sequences of the first and last leaf whose `occurredAt` lies in `[from, to)` (ISO), or `null` where there is none. */
  span(agentId: string, from: string, to: string): Promise<{ readonly first: number; readonly last: number } | null>;
  /** Leaves `first`…`last` (both included) in sequence order, at most `limit` (up to 1,000) of them. */
  range(agentId: string, first: number, last: number, limit: number): Promise<readonly ArchivedEvent[]>;
  /** Events that refer to any of these (outcomes, unanswered), whatever their time. At most 1,000 ids. */
  referring(eventIds: readonly string[]): Promise<readonly ArchivedEvent[]>;
  /** The leaves with these ids, in their order; an id that is not stored is left out. At most 1,000 ids. */
  leaves(eventIds: readonly string[]): Promise<readonly LeafEvent[]>;
  /** Resolves once everything below these offsets of `agent-events` is stored. Throws after `timeoutMs`. */
  caughtUp(offsets: Readonly<Record<number, number>>, timeoutMs: number): Promise<void>;
}

/** An event whose content an order (`content.erased`) took. */
export interface ErasedContent {
  readonly eventId: string;
  readonly agentId: string;
  readonly sequence: number;
}

/**
 * audit-log's erasures, for those who keep copies of content. An order is untold until its keeper of copies says that
 * it has none left; so an order outlives a crash of either.
 */
export interface Erasures {
  /** Orders that are carried out in the archive and untold, at most `limit` (up to 1,000). */
  untold(limit: number): Promise<readonly ErasedContent[]>;
  /** Says that nothing that is stored opens the content of these events any more. At most 1,000 ids. */
  tell(eventIds: readonly string[]): Promise<void>;
  /** Sequences among `first`…`last` of which an order took the content; what retention took is not among them. */
  among(agentId: string, first: number, last: number): Promise<readonly number[]>;
}

/** anchoring's proofs: for windows whose transaction is finalized. */
export interface ProofSource {
  /** The anchored windows of an agent that hold any of the sequences `first`…`last`, in sequence order. */
  windows(agentId: string, first: number, last: number): Promise<readonly AgentWindowProof[]>;
  /** Hashes of the agent's leaves `first`…`last` (hex), as the agent trees hold them. At most 100,000. */
  leafHashes(agentId: string, first: number, last: number): Promise<readonly string[]>;
}
