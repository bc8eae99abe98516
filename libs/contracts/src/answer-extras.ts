import type { NextAction } from './approvals.js';
import type { PatchOperation } from './http/rules.js';

/** The window of a limit that denied a check, as it was before the check. Amounts are decimals: `2.5`. */
export interface LimitBudget {
  readonly unit: 'count' | 'sum';
  readonly window_seconds: number;
  readonly limit: string;
  readonly consumed: string;
  readonly remaining: string;
  /** ISO 8601 time before which the balance does not decrease; `null`: the amount alone exceeds the limit. */
  readonly resets_at: string | null;
}

/** Members of the answer of a check that the leaf does not hold. */
export interface AnswerExtras {
  readonly category?: string;
  readonly pii_kind?: string;
  readonly matched_topic?: string;
  readonly length?: number;
  /** How else the action can be allowed: after an approval, in another form, or later. Absent: it is denied. */
  readonly decision?: 'step_up' | 'modify' | 'defer';
  readonly code?: string;
  readonly next_action?: NextAction;
  /** Of `modify`: operations of RFC 6902 that fit the action; absent where the rule's do not. */
  readonly patch?: readonly PatchOperation[];
  /** Of `defer`. */
  readonly missing?: readonly string[];
  /** Of `defer`, s. */
  readonly retry_after?: number;
  readonly approval_id?: string;
  readonly approval_url?: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly expires_at?: string;
  readonly upgrade_url?: string;
  readonly budget?: LimitBudget;
}
