import type { Amount, HeldAmount, SetFact } from '@countersign/contracts';
import type { StaticViolation } from './static-violation.js';

export type { CountedAmount, HeldAmount, RuleCounts, SetFact } from '@countersign/contracts';

/*
 * Terms of this file, in addition to those of `port.ts`:
 * - fact: a label of an agent, or of one of its sessions, that a check sets and that holds until it expires.
 * - limit: a maximum of the amounts that are counted under one key in a sliding window. A number of checks is a sum of
 *   amounts of 1.
 * - order: the position of a check among the checks of its agent that were judged with balances.
 */

/** Input of a trip whose profile has rules, facts or limits. */
export interface RuleTrip {
  /** Facts that the trip reads or sets; at most {@link MOST_FACTS}, each once. */
  readonly facts: readonly TripFact[];
  /** A fact that counts as set also where another one is; absent: none. */
  readonly also?: readonly { readonly fact: number; readonly where: number }[];
  /** Rules whose finding may depend on facts. */
  readonly conditional: readonly ConditionalRule[];
  readonly sets: readonly FactSetting[];
  /** Limits that the action concerns; at most {@link MOST_LIMITS}, with different keys. Of several exceeded the first counts. */
  readonly limits: readonly TripLimit[];
  /** The violation of a check that sets a fact for which there is no room ({@link RuleBounds}). */
  readonly noRoom: StaticViolation;
}

export interface TripFact {
  readonly id: string;
  /** Where the agent's fact is held, opaque: such as a constant for the agent itself, or a hash of the session. */
  readonly key: string;
}

/** A rule that is evaluated for every assignment of the facts that it reads. One that reads none has one assignment. */
export interface ConditionalRule {
  /** Indexes in `facts`; at most 4. */
  readonly facts: readonly number[];
  /**
   * Bit `i`: the rule finds a violation under assignment `i`, in which fact `facts[j]` is set if bit `j` of `i` is. Of
   * a rule without facts only bit 0.
   */
  readonly truth: number;
  readonly violation: StaticViolation;
  /** Of several findings the one with the lowest rank counts, of equal ones the first. */
  readonly rank: number;
  /** The finding is reported and does not deny. */
  readonly observe: boolean;
}

export interface FactSetting {
  /** Index in `facts`. */
  readonly fact: number;
  readonly ttlSeconds: number;
  /** `allowed`: set by a check that is allowed; `checked`: also by one that is denied. A refusal sets none. */
  readonly on: 'allowed' | 'checked';
}

export interface TripLimit {
  readonly id: string;
  /** Of the agent's window, opaque: such as a hash of the limit's id and of its key. */
  readonly key: string;
  readonly windowSeconds: number;
  readonly max: Amount;
  /** Amount of this check; nothing exceeds no limit and is not counted. */
  readonly amount: Amount;
  /** The amount is returned when the outcome of the check says that its action was skipped (`giveBackHeld`). */
  readonly reserve: boolean;
  /** Violation when the limit is exceeded; its `detail` is replaced by maximum and balance in words. */
  readonly violation: StaticViolation;
  /** As in {@link ConditionalRule}. */
  readonly observe: boolean;
}

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

/** Facts and windows of an agent up to one position of the log. */
export interface RuleSnapshot {
  /** Settings that have not expired, each with `seen.order` of its check. */
  readonly facts: readonly (SetFact & { readonly order: number })[];
  /** Amounts that have not left their window and were not given back. */
  readonly limits: readonly (HeldAmount & { readonly windowSeconds: number })[];
}

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
