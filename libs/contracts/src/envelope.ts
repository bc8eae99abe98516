import type { AnswerExtras } from './answer-extras.js';
import type { ApprovalOfCheck } from './approvals.js';
import type { LeafEvent, Openings } from './leaf.js';
import type { HeldAmount, RuleCounts } from './rule-counts.js';

/** Seconds between anchors by plan: sandbox and core 3600, scale 300, enterprise 1 – or the configured override. */
export type CadenceSeconds = number;

/** `none`: no rule of the profile applies to this kind of action. Header `x-policy-coverage`. */
export type PolicyCoverage = 'governed' | 'none';

export interface IdempotencyStamp {
  /** SHA-256 of the account id and the key as sent, lower-case hex. */
  readonly keySha256: string;
  /** HMAC-SHA-256, keyed by the idempotency key as sent, over the JCS of the body, lower-case hex. */
  readonly bodySha256: string;
}

/** Refund of the spending of a check whose action was not executed. */
export interface GivenBack {
  /** Whole micro-dollars, as the check's envelope has them. */
  readonly costMicros: number;
  /** Time at which the check counted them: `occurredAt` of its leaf. */
  readonly occurredAt: string;
}

/**
 * A message of `agent-events`. Versioned, never hashed: trees hold the leaf inside it.
 * A consumer dead-letters an envelope whose `v` it does not know.
 */
export interface EventEnvelope {
  readonly v: 1;
  readonly leaf: LeafEvent;
  readonly openings: Openings;
  readonly accountId: string;
  readonly cadenceSeconds: CadenceSeconds;
  /** Whole micro-dollars that this check adds to the agent's spending; 0 if none. */
  readonly costMicros: number;
  /** True if it counts as one action of the account's plan. */
  readonly countsAction: boolean;
  /** True if it counts towards the agent's rate limit: allowed while the profile had one. */
  readonly countsRate: boolean;
  /** True if the denial freezes the agent (`freeze_on_violation`). */
  readonly freezesAgent: boolean;
  readonly apiKeyId: string | null;
  readonly idempotency: IdempotencyStamp | null;
  readonly answer: AnswerExtras | null;
  readonly coverage: PolicyCoverage | null;
  /** Of `action.outcome`: its check was refused, and execution is reported nevertheless. */
  readonly executedRefusal?: true;
  /** Of `action.outcome`: refund of the spending that its check counted. */
  readonly givesBack?: GivenBack;
  /** Of a check: `seen.order` of its context. Absent in events from before checks had a context. */
  readonly order?: number;
  /** Of a check: what it set and counted by rules; absent: nothing. */
  readonly ruleCounts?: RuleCounts;
  /** Of a check: the approvals that it waits for or used; absent: none. */
  readonly approvals?: readonly ApprovalOfCheck[];
  /** Of `action.outcome`: amounts that its check held, and that go back to their limits. */
  readonly givesBackHeld?: readonly HeldAmount[];
}
