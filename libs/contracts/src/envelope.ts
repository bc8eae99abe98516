import type { LeafEvent, Openings } from './leaf.js';

/** Seconds between anchors by plan: sandbox and core 3600, scale 300, enterprise 1 – or the configured override. */
export type CadenceSeconds = number;

/** Members of a check's answer that the leaf does not hold. */
export interface AnswerExtras {
  readonly category?: string;
  readonly pii_kind?: string;
  readonly matched_topic?: string;
  readonly length?: number;
  readonly code?: string;
  readonly upgrade_url?: string;
}

/** `none`: no rule of the profile spoke of this kind of action. Header `x-policy-coverage`. */
export type PolicyCoverage = 'governed' | 'none';

export interface IdempotencyStamp {
  /** SHA-256 of the account id and the key as sent, lower-case hex. */
  readonly keySha256: string;
  /** HMAC-SHA-256, keyed by the idempotency key as sent, over the JCS of the body, lower-case hex. */
  readonly bodySha256: string;
}

/** Spending of a check that was not executed. */
export interface GivenBack {
  /** Whole micro-dollars, as the check's envelope has them. */
  readonly costMicros: number;
  /** When the check counted them: `occurredAt` of its leaf. */
  readonly occurredAt: string;
}

/**
 * A message of `agent-events`. Versioned, never hashed: the leaf inside it is what the trees hold.
 * A reader parks an envelope whose `v` it does not know; it never guesses.
 */
export interface EventEnvelope {
  readonly v: 1;
  readonly leaf: LeafEvent;
  readonly openings: Openings;
  readonly accountId: string;
  readonly cadenceSeconds: CadenceSeconds;
  /** Whole micro-dollars that this check adds to the agent's spending; 0 when it adds none. */
  readonly costMicros: number;
  /** Whether it counts one action of the account's plan. */
  readonly countsAction: boolean;
  /** Whether it counts towards the agent's rate limit: allowed while the profile had one. */
  readonly countsRate: boolean;
  /** Whether the denial freezes the agent (`freeze_on_violation`). */
  readonly freezesAgent: boolean;
  readonly apiKeyId: string | null;
  readonly idempotency: IdempotencyStamp | null;
  readonly answer: AnswerExtras | null;
  readonly coverage: PolicyCoverage | null;
  /** Of `action.outcome`: the check that it speaks of was refused, and yet its execution is reported. */
  readonly executedRefusal?: true;
  /** Of `action.outcome`: what the check that it speaks of counted towards spending and is given back. */
  readonly givesBack?: GivenBack;
}
