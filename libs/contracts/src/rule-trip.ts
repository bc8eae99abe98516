import type { AnswerExtras } from './answer-extras.js';
import type { ApprovalAsked } from './approvals.js';
import type { Severity, ViolationType } from './leaf.js';
import type { Amount } from './rule-counts.js';

/*
 * Terms of this file, in addition to those of the counters (`libs/counters`):
 * - fact: a label of an agent, or of one of its sessions, that a check sets and that holds until it expires.
 * - limit: a maximum of the amounts that are counted under one key in a sliding window. A number of checks is a sum of
 *   amounts of 1.
 * - order: the position of a check among the checks of its agent that were judged with balances.
 */

/**
 * A violation. In a trip: of a static rule (off-limits, APIs, data scope, output), found by the gateway before the
 * trip. In a judgement: that one, or the one that the counters found.
 */
export interface StaticViolation {
  readonly violation_type: ViolationType;
  readonly severity: Severity;
  /** In words, for the answer. */
  readonly reason: string;
  /** The violated rule, such as `rate_limit:3/10s`; `null`: it has no name. */
  readonly rule: string | null;
  /** The facts behind it in words, such as limit and count; `null`: none. */
  readonly detail: string | null;
  /** Members of the answer in addition to those of every denial; `null`: none. */
  readonly extras: AnswerExtras | null;
  /** The request of a rule with the effect `approve`; absent: no approval can be opened. */
  readonly approval?: ApprovalAsked;
}

/** Input of a trip whose profile has rules, facts or limits. */
export interface RuleTrip {
  /** Facts that the trip reads or sets; at most `MOST_FACTS`, each once. */
  readonly facts: readonly TripFact[];
  /** A fact that counts as set also where another one is; absent: none. */
  readonly also?: readonly { readonly fact: number; readonly where: number }[];
  /** Rules whose finding may depend on facts. */
  readonly conditional: readonly ConditionalRule[];
  readonly sets: readonly FactSetting[];
  /** Limits that the action concerns; at most `MOST_LIMITS`, with different keys. Of several exceeded the first counts. */
  readonly limits: readonly TripLimit[];
  /** The violation of a check that sets a fact for which there is no room (`RuleBounds`). */
  readonly noRoom: StaticViolation;
  /** Absent: no rule of the trip can be satisfied by an approval. */
  readonly approvals?: TripApprovals;
}

/** Approvals that the rules of a trip ask for. */
export interface TripApprovals {
  /** The rules whose violation has an `approval`, by their indexes in `conditional`; none of them in observe mode. */
  readonly rules: readonly {
    readonly rule: number;
    readonly ruleId: string;
    readonly bindingSha256: string;
    readonly expiresSeconds: number;
  }[];
  /** The id of an approval that the trip opens, fresh. */
  readonly candidateId: string;
  /** Most approvals of an agent that are open at a time. */
  readonly mostPending: number;
  /** The id that the caller names; `null`: none. */
  readonly namedId: string | null;
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
  /** The kind of its amounts; absent: a count. */
  readonly unit?: 'sum';
  /** Amount of this check; nothing exceeds no limit and is not counted. */
  readonly amount: Amount;
  /** The amount is returned when the outcome of the check says that its action was skipped (`giveBackHeld`). */
  readonly reserve: boolean;
  /** Violation when the limit is exceeded; its `detail` is replaced by maximum and balance in words. */
  readonly violation: StaticViolation;
  /** As in {@link ConditionalRule}. */
  readonly observe: boolean;
}
