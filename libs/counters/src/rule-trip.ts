import type { Amount, HeldAmount, SetFact, TripFact, TripLimit } from '@countersign/contracts';
import type { LoggedApproval } from './approvals.js';

export type {
  ConditionalRule,
  CountedAmount,
  FactSetting,
  HeldAmount,
  RuleCounts,
  RuleTrip,
  SetFact,
  TripApprovals,
  TripFact,
  TripLimit,
} from '@countersign/contracts';

/** The balances before a check, by which it was judged. */
export interface Seen {
  /**
   * From 1, greater by one with each judged check of the agent. The number of one that was taken back is used again
   * when no later check was judged; otherwise it is missing from the log.
   */
  readonly order: number;
  /** Micro-dollars of day and month (UTC), less credits. */
  readonly spent: { readonly day: number; readonly month: number };
  /** Checks in the rate window; `null`: no rate limit. */
  readonly rate: number | null;
  /** Actions that the plan's cap is compared with: of all time in a sandbox, else of the month. */
  readonly plan: { readonly used: number };
  /** Ids of the trip's facts that were set, in the order of the trip. */
  readonly facts: readonly string[];
  /** Balance by the id of the limit, as a decimal such as `12.5`. */
  readonly limits: Readonly<Record<string, string>>;
}

/** Facts and windows of an agent that a caller asks about. */
export interface RuleQuestion {
  readonly facts: readonly TripFact[];
  readonly limits: readonly Pick<TripLimit, 'key' | 'windowSeconds'>[];
  /** Amounts outside of the windows that are read for all limits together, at most, rounded up to hundreds. */
  readonly most: number;
}

/** Facts and balances that a check of the agent would find now, in the order of the question. */
export interface RuleBalances {
  /** Time until which each fact is set, ms; `null`: it is not set. */
  readonly facts: readonly (number | null)[];
  /** Time until which no fact of the agent is known, ms ({@link UNKNOWN_FACTS}); `null`: facts are known. */
  readonly unknownUntilMs: number | null;
  /** `null`: not read, as more amounts lie outside of the windows than the question allows to read. */
  readonly limits: readonly (LimitBalance | null)[];
}

/** The amounts in a window. */
export interface LimitBalance {
  readonly consumed: Amount;
  /** Time of the oldest amount, ms; `null`: none is counted. */
  readonly oldestMs: number | null;
}

/** Facts and windows of an agent up to one position of the log. */
export interface RuleSnapshot {
  /** Settings that have not expired, each with `seen.order` of its check. */
  readonly facts: readonly (SetFact & { readonly order: number })[];
  /** Amounts that have not left their window and were not given back. */
  readonly limits: readonly (HeldAmount & { readonly windowSeconds: number })[];
  /** Those that have not expired; absent: none. */
  readonly approvals?: readonly LoggedApproval[];
}

/**
 * The name under which `RuleCounts` records that a fact had to be set for which there was no room: until its expiry the
 * facts of the agent are unknown. Usage totals and rebuilds keep it as a fact; ids of facts contain no `@`.
 */
export const UNKNOWN_FACTS = { id: '@unknown', key: '@unknown' } as const;

export const MOST_FACTS = 96;
export const MOST_LIMITS = 32;

/** How much of facts and limits may be kept. */
export interface RuleBounds {
  /** Facts and windows of one agent. */
  readonly agent: number;
  /** Facts and windows of all agents together. */
  readonly all: number;
  /** Amounts in one window. */
  readonly window: number;
  /** Amounts in all windows of one agent. */
  readonly amounts: number;
}
export const RULE_BOUNDS: RuleBounds = { agent: 10_000, all: 1_000_000, window: 10_000, amounts: 100_000 };

/** Newest settings of a fact that can be reverted; older ones hold until they expire. */
export const MOST_SETTERS = 8;
