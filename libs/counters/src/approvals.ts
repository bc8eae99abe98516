/*
 * Approvals of an agent, by binding: at most one of each. Terms are those of `approvals.ts` of the contracts.
 */

/** A usable approval of a rule that finds something; a check that is allowed uses it. */
export interface FoundApproval {
  readonly ruleId: string;
  readonly bindingSha256: string;
  readonly id: string;
  readonly expiresAtMs: number;
  /** A use leaves it as it is. */
  readonly reusable: boolean;
  /** An earlier judgement of the same check used it, whose event may be in the log: it is not given back. */
  readonly usedBefore?: true;
}

/** The approval that a denial asks for. */
export interface AskedApproval {
  readonly code:
    | 'approval_pending'
    | 'approval_denied'
    | 'approval_expired'
    | 'approval_consumed'
    | 'out_of_scope'
    | 'too_many_pending';
  /** `null`: none is open. */
  readonly id: string | null;
  /** `null` without an id. */
  readonly expiresAtMs: number | null;
}

/** The decision of a person. */
export interface ApprovalDecision {
  readonly agentId: string;
  readonly bindingSha256: string;
  readonly id: string;
  readonly state: 'approved' | 'denied';
  readonly expiresAtMs: number;
  readonly usableUntilMs: number;
  readonly reusable: boolean;
}

/** An approval that a check of the log asked for or used up. */
export interface LoggedApproval {
  readonly id: string;
  readonly bindingSha256: string;
  readonly expiresAtMs: number;
  readonly isConsumed: boolean;
}

/** Time for which an approval that is over is still known, ms. */
export const KNOWN_MS = 3_600_000;
/** Approvals of an agent that are kept, at most; at the bound one that was used is forgotten for a new one. */
export const MOST_APPROVALS = 1_000;
