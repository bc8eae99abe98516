import type { EventEnvelope } from './envelope.js';
import type { AccountFacts, AgentWindowProof, Plan } from './records.js';

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
  /** Resolves once everything below these offsets of `agent-events` is stored. Throws after `timeoutMs`. */
  caughtUp(offsets: Readonly<Record<number, number>>, timeoutMs: number): Promise<void>;
}

/** anchoring's proofs: for windows whose transaction is finalized. */
export interface ProofSource {
  /** The anchored windows of an agent that hold any of the sequences `first`…`last`, in sequence order. */
  windows(agentId: string, first: number, last: number): Promise<readonly AgentWindowProof[]>;
  /** Hashes of the agent's leaves `first`…`last` (hex), as the agent trees hold them. At most 100,000. */
  leafHashes(agentId: string, first: number, last: number): Promise<readonly string[]>;
}

/** What the first start hands out. `password` and `apiKey` exist nowhere else in clear. */
export interface BootstrapCredentials {
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  readonly apiKeyId: string;
  readonly apiKey: string;
}

export interface PlanTerms {
  /** Not named: the plan's default; `null`: no cap. */
  readonly actionCap?: number | null;
  /** ISO time; sandbox only. Not named: the plan's default, counted from now. */
  readonly expiresAt?: string;
}

/** What an operator may do to accounts; never reachable over HTTP. */
export interface OperatorIdentity {
  /**
   * The first account (enterprise), its admin and an API key. Until `bootstrapKept` was called each call gives fresh
   * credentials for the same account and ends those of the call before, because a crash may have lost them;
   * afterwards `null`.
   */
  bootstrap(): Promise<BootstrapCredentials | null>;
  /** The credentials of `bootstrap` are kept safely: it gives no others from now on. */
  bootstrapKept(): Promise<void>;
  /**
   * Resolves when the plan is in force on every gateway.
   * @throws Error naming an unknown account or plan, or terms that do not fit the plan, in words for the operator
   */
  setPlan(accountId: string, plan: Plan, terms: PlanTerms): Promise<AccountFacts>;
}

/** What the first start needs of policy. */
export interface OperatorPolicy {
  /** The id of the account's oldest agent; creates one of this name where it has none. */
  firstAgent(accountId: string, name: string): Promise<string>;
}
