import type { Plan, SpendingWindow, RateLimit } from '@countersign/contracts';
import type { ApprovalDecision, AskedApproval, FoundApproval, LoggedApproval } from './approvals.js';
import type { HeldAmount, RuleBalances, RuleCounts, RuleQuestion, RuleSnapshot, RuleTrip, Seen } from './rule-trip.js';
import type { StaticViolation } from './static-violation.js';

export { RULE_BOUNDS } from './rule-trip.js';
export type * from './rule-trip.js';
export type * from './approvals.js';
export type { StaticViolation } from './static-violation.js';

/*
 * Terms of this file:
 * - trip: the one atomic call of the counters that a check makes.
 * - policy: the rules of the agent's profile: static rules, spending limit, rate limit.
 * - refusal: the outcomes `sandbox_expired`, `action_cap` and `frozen`. They come before the policy and count nothing.
 * - read model: the gateway's in-memory copy of accounts, API keys, agents and profiles. It follows the event log, so
 *   it may be older than the versions that the counters know.
 * - claim: the record of an idempotency key: first a judgement (open), then the answer (answered). It exists for
 *   `CLAIM_MS` after the judgement.
 * - revert: to undo what a check counted, because its event is not in the log (`takeBack`).
 * - credit: spending that was counted and is returned to the budget later, because the outcome of the check says that
 *   the action was skipped. Code names it `giveBack` and `…Back…`.
 * - tail: the events of the topic `agent-events` after those that a snapshot contains.
 */

/** Records whose version in a gateway's read model must not be below the version that the counters know. */
export type VersionedKind = 'account' | 'api-key' | 'session' | 'agent';

/** Input of a trip. Money is whole micro-dollars, at most 2^53 − 1. */
export interface CheckTrip {
  readonly accountId: string;
  readonly agentId: string;
  readonly apiKeyId: string;
  /** Versions in the gateway's read model when it judged the static rules. */
  readonly versions: { readonly account: number; readonly apiKey: number; readonly agent: number };
  /** `actionCap` `null`: no cap. `sandboxExpiresAtMs` `null`: does not expire. */
  readonly plan: { readonly plan: Plan; readonly actionCap: number | null; readonly sandboxExpiresAtMs: number | null };
  /** Version of the profile that the static rules and the limits of this trip come from. */
  readonly profileVersion: number;
  /** The agent's status in the read model is `frozen`. */
  readonly frozen: boolean;
  /** Observe mode: a violation is returned and does not deny. */
  readonly observe: boolean;
  /** The profile says that a denial freezes the agent. */
  readonly freezeOnViolation: boolean;
  /** The static violation; `null`: none was found. */
  readonly violation: StaticViolation | null;
  /** Cost of the action. */
  readonly costMicros: number;
  /** `null`: no limit. */
  readonly spending: { readonly limitMicros: number; readonly window: SpendingWindow } | null;
  /** `null`: no limit. */
  readonly rate: RateLimit | null;
  /** Absent: the profile has no rules, facts or limits that concern the action. */
  readonly rules?: RuleTrip | undefined;
  /** The judgement is to contain the balances before the check also without `rules`. Absent: `false`. */
  readonly wantsSeen?: boolean;
  /** `null`: the check has no idempotency key. */
  readonly idempotency: { readonly keySha256: string; readonly bodySha256: string } | null;
  /** Fresh random bytes of the gateway: 10 bytes in hex for the event id; salts in base64url. */
  readonly entropy: string;
  readonly actionSalt: string;
  readonly payloadSalt: string | null;
  /** Text of the caller, returned with the judgement: a claim keeps it. Absent: none. */
  readonly carried?: string;
}

/** Decision of a trip. With the request's body and the profile it determines the bytes of the event. */
export interface Judgement {
  /** The counters' clock, ms since the epoch. */
  readonly nowMs: number;
  readonly entropy: string;
  readonly actionSalt: string;
  readonly payloadSalt: string | null;
  /** Of the trip that was judged. */
  readonly carried?: string;
  readonly versions: CheckTrip['versions'];
  readonly outcome: 'allowed' | 'denied' | 'frozen' | 'sandbox_expired' | 'action_cap';
  /**
   * The violation that denies. Where none does: the first one found in observe mode, or by a rule or limit in observe
   * mode. `null` with a refusal.
   */
  readonly violation: StaticViolation | null;
  /** Counted towards spending; 0 unless allowed. */
  readonly costMicros: number;
  /** Counts as an action of the account: allowed or denied, no refusal. */
  readonly countsAction: boolean;
  /** Counts towards the rate: allowed, under a profile with a rate limit. */
  readonly countsRate: boolean;
  /**
   * Denied under a profile with `freezeOnViolation`, and not for want of an approval: the caller calls `freeze` once the
   * event is durable.
   */
  readonly freezesAgent: boolean;
  /** Present if the trip had `rules` or `wantsSeen`. */
  readonly seen?: Seen;
  /** Present if a fact was set or an amount counted. */
  readonly ruleCounts?: RuleCounts;
  /** Present if it is denied by a rule of `approvals` of the trip. */
  readonly asked?: AskedApproval;
  /**
   * Usable approvals of rules of the trip that find something: where it is allowed, they are used. Absent: none. Only of
   * a check that counts an action.
   */
  readonly approvals?: readonly FoundApproval[];
  /** Present if `violation` is that of a limit. */
  readonly limit?: {
    readonly id: string;
    /** Balance before the check, as a decimal. */
    readonly consumed: string;
    /** Time before which the balance does not decrease, ms; `null`: the amount alone exceeds the limit. */
    readonly resetsAtMs: number | null;
  };
}

/** The answer, verbatim, for a repeated idempotency key. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly eventId: string;
  /** Value of the header `x-policy-coverage`; `null`: the answer has no such header. */
  readonly coverage: string | null;
}

export type CheckTripResult =
  /** A new check: append its event, then answer. */
  | { readonly kind: 'judged'; readonly judgement: Judgement }
  /**
   * The read model is older than `versions`: wait until it has reached all of them, then repeat the trip. Nothing was
   * counted or claimed.
   */
  | { readonly kind: 'stale'; readonly versions: CheckTrip['versions'] }
  /** The same key with the same body has an answer that still holds: give the same answer. Nothing was counted. */
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  /**
   * The same key with the same body has an open claim: another check is about to be answered, or its caller got 503.
   * Append the bytes that this earlier judgement determines, then answer. Nothing was counted again.
   */
  | { readonly kind: 'claimed'; readonly judgement: Judgement }
  /**
   * As `claimed`, but the version of the account or the agent, or the freeze flag, has changed since the earlier
   * judgement. What that had counted was reverted, and `judgement` is new and counted. The caller has the event of
   * `superseded` recorded as unanswered (`action.unanswered`), because it may be in the log.
   */
  | { readonly kind: 'rejudged'; readonly judgement: Judgement; readonly superseded: Judgement }
  /** The same key with another body. Nothing was counted. */
  | { readonly kind: 'conflict' }
  /**
   * There is no room for the new key: a bound of {@link ClaimBounds}, `most`, is reached, and there is no answered
   * claim to evict. Nothing was counted or claimed.
   */
  | { readonly kind: 'crowded'; readonly most: number }
  /**
   * The counters do not serve, or a call of them failed: answer 503. A call that failed may have counted and claimed.
   */
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface AccountUsage {
  /** Actions in `period`. */
  readonly actionsInPeriod: number;
  /** Actions of all time: what the cap of a sandbox is compared with. */
  readonly actionsEver: number;
  /**
   * Calendar month (UTC) such as `2026-11`, whatever the plan: that of the clock, or a later one that an action was
   * counted in.
   */
  readonly period: string;
}

/** The usage that a check of an agent would be judged by now. */
export interface AgentUsage {
  readonly nowMs: number;
  /** The freeze flag of the counters. */
  readonly frozen: boolean;
  /** Spending of the day (UTC), less credits. */
  readonly dayMicros: number;
  /** Spending of the month (UTC), less credits. */
  readonly monthMicros: number;
  /** Counted checks in the window of the rate limit that the caller names; 0 when it names none. */
  readonly rateCount: number;
  /**
   * Time of the counted check that must leave that window before another check fits, ms. `null` in every other case: a
   * check fits now, the caller names no rate limit, or its maximum is 0, so that none ever fits.
   */
  readonly rateBlockedBy: number | null;
}

/** Effect of an event of the log on the counters. The caller derives it from the message of `agent-events`. */
export interface CountedEvent {
  readonly partition: number;
  readonly offset: number;
  readonly accountId: string;
  readonly agentId: string;
  readonly eventId: string;
  /** `nowMs` of its judgement: the day, month and rate window in which it counts. */
  readonly occurredAtMs: number;
  /** This and the next three: as in {@link Judgement}. */
  readonly countsAction: boolean;
  readonly countsRate: boolean;
  readonly costMicros: number;
  readonly freezesAgent: boolean;
  /** `seen.order` of its judgement; absent: it was judged without balances. */
  readonly order?: number;
  /** As in {@link Judgement}; only together with `order`. */
  readonly ruleCounts?: RuleCounts;
  /** Of an outcome that says that an action was skipped: the reserved amounts that its check had counted. */
  readonly givesBack?: readonly HeldAmount[];
  /** Approvals that the check waits for or has used up; only together with `order`. */
  readonly approvals?: readonly LoggedApproval[];
  /** `null`: it had no idempotency key. */
  readonly idempotency: {
    readonly keySha256: string;
    readonly bodySha256: string;
    /** Version of the profile that judged it; `null`: unknown, so an answer that allows is not replayed. */
    readonly profileVersion: number | null;
    readonly answer: StoredAnswer;
  } | null;
}

/** Totals, freezes, answered claims and versions up to one position of the log. */
export interface UsageSnapshot {
  readonly accounts: readonly {
    readonly accountId: string;
    /** As in {@link AccountUsage}. */
    readonly period: string;
    readonly actionsInPeriod: number;
    readonly actionsEver: number;
  }[];
  readonly agents: readonly {
    readonly agentId: string;
    /** Newest day (UTC) with spending, such as `2026-11-21`, and its sum before credits. */
    readonly day: string;
    readonly dayMicros: number;
    /** Newest month (UTC) with spending, such as `2026-11`, and its sum before credits. */
    readonly month: string;
    readonly monthMicros: number;
    /** Credits of that day and of that month; absent: none. */
    readonly dayBackMicros?: number;
    readonly monthBackMicros?: number;
    /** Times of the checks that count towards the rate, ms, in any order. */
    readonly rateTimes: readonly number[];
    /** Greatest `seen.order` of its checks; absent: 0. */
    readonly order?: number;
    /** Absent: no facts are set and nothing is counted towards limits. */
    readonly rules?: RuleSnapshot;
    readonly frozen: boolean;
    /** Time of the newest unfreeze, ms; 0: never. */
    readonly unfrozenAtMs: number;
  }[];
  /** Decisions about approvals that are not over, as for `decideApproval`; absent: none. */
  readonly decisions?: readonly ApprovalDecision[];
  /** Answered claims; those with a status other than 200 are ignored. */
  readonly claims: readonly {
    readonly accountId: string;
    readonly keySha256: string;
    readonly bodySha256: string;
    readonly occurredAtMs: number;
    /** As in {@link CountedEvent}. */
    readonly profileVersion: number | null;
    readonly answer: StoredAnswer;
  }[];
  readonly versions: readonly { readonly kind: VersionedKind; readonly id: string; readonly version: number }[];
}

/** Total credits so far of an agent's spending in a day and in a month, in micro-dollars. */
export interface GivenBackSums {
  /** `2026-11-21` (UTC). */
  readonly day: string;
  readonly dayMicros: number;
  /** `2026-11` (UTC). */
  readonly month: string;
  readonly monthMicros: number;
}

/**
 * The counters do not serve (they have lost their data, are being rebuilt, or are closed), or their server cannot be
 * reached, or the lease of a rebuild is lost. A call that was sent may have had its effect.
 */
export class CountersUnavailable extends Error {
  override readonly name = 'CountersUnavailable';
}

/** Time after its judgement for which a claim exists, ms. */
export const CLAIM_MS = 24 * 60 * 60 * 1000;
/** Time after its judgement for which an answer that allows is replayed, ms. A denial is replayed for `CLAIM_MS`. */
export const ALLOW_REPLAY_MS = 10 * 60 * 1000;

/** Time for which a name of `useOnce` is kept, ms. */
export const ONCE_MS = 3 * 60 * 1000;
/** Names of `useOnce` that are kept at a time in process, about 0.2 KiB each. On a server its memory is the bound. */
export const MOST_ONCE = 1_000_000;

/** The use of a name. */
export interface OnceUse {
  readonly name: string;
  /** Who uses it: the same may do so again. `null`: only one use is the same. */
  readonly by: string | null;
  /** When the name was made, ms since 1970 by the clock of its maker. */
  readonly madeMs: number;
}

/**
 * `first`: it was not used before. `same`: only by the same. `used`: by another, or by `null`. `unknown`: it was made before
 * the counters began to serve, so a use of it may have been lost. `full`: there is no room to keep it.
 */
export type OnceUsed = 'first' | 'same' | 'used' | 'unknown' | 'full';

/** How many claims may exist. */
export interface ClaimBounds {
  /** Of all accounts together. */
  readonly all: number;
  /** Of one account. */
  readonly account: number;
}
export const CLAIM_BOUNDS: ClaimBounds = { all: 1_000_000, account: 100_000 };

/** Numbers of claims. */
export interface ClaimFigures {
  /** Existing ones without an answer. */
  readonly open: number;
  /** Existing ones with an answer. */
  readonly answered: number;
  /**
   * Claims that were evicted before their time because a bound of {@link ClaimBounds} was reached, since the last
   * rebuild.
   */
  readonly evicted: number;
}

/** Reports whether an answer to a check allows its action. */
export function allows(answer: StoredAnswer): boolean {
  return answer.body.startsWith('{"allowed":true');
}

/** The lease of a rebuild. */
export interface RebuildLease {
  /**
   * Time after the beginning of the rebuild within which an event that was judged before may still reach the log, ms.
   * The holder replays the tail, waits until this time is over, replays what was added, and then calls `serve`.
   */
  readonly settleMs: number;
}

/**
 * The state that gateways share when they decide, with one clock.
 *
 * **A check** is judged by the first of these steps that applies:
 * 1. The API key's version in the trip is below the one raised: `stale`. This comes first, because the caller must be
 *    authenticated before it gets an old answer.
 * 2. The idempotency key has a claim with another body: `conflict`. One whose answer is a denial: `answered`.
 * 3. The version of account or agent in the trip is below the one raised, or below that of an open claim of the
 *    idempotency key: `stale`.
 * 4. The claim's answer allows, `profileVersion` is the version that allowed it, the agent is not frozen (neither in
 *    the trip nor by the flag), and less than `ALLOW_REPLAY_MS` has passed since its judgement: `answered`. If one of
 *    these does not hold, the check is judged as a new one (step 7), and what the first one counted stays counted: its
 *    action may have been executed.
 * 5. The claim is open: `claimed` if versions of account and agent and the freeze are those of its judgement. Otherwise
 *    what it counted is reverted, and the check is judged again (step 7): `rejudged`.
 * 6. The idempotency key has no claim, and there is no room for one: `crowded`.
 * 7. `judged`, by the first that applies: plan (`sandbox_expired`, then `action_cap`), freeze (`frozen`), the static
 *    violation, rules, spending, rate, limits (`denied`); else `allowed`. What the outcome counts is counted in the same
 *    step.
 *
 * - Plan: a sandbox is expired from `sandboxExpiresAtMs` on. The cap is reached when as many actions are counted: of
 *   all time in a sandbox, else of the calendar month.
 * - Actions: a check that is allowed or denied counts one. A refusal counts nothing.
 * - Spending: an allowed check counts its cost towards its day and its month, whether or not a limit is set. With a
 *   limit for the day or the month, that sum less credits, plus this cost, must not exceed the limit; with one for the
 *   action, this cost alone. A cost of 0 never exceeds a limit. Sums saturate at 2^53 − 1; a saturated sum is not
 *   reduced again.
 * - Rate: an exact sliding window. An allowed check under a rate limit counts while `now − time < per_seconds * 1000`;
 *   a check is denied when `max` others count. When a profile makes the window longer, checks that had left the
 *   shorter one may be missing from it.
 * - Rules: each is looked up under the facts that are set before the check. Of the findings the one of the lowest rank
 *   denies. Facts and amounts of the check itself take effect after its judgement, in the same step.
 * - Facts: a fact is set while one of its settings has not expired. Settings are reverted one by one; the 8 newest can
 *   be.
 * - Limits: exact sliding windows. An amount of an allowed check counts while `now − time < windowSeconds * 1000`; a
 *   check is denied when that sum and its own amount exceed `max`. When a profile makes a window longer, amounts that
 *   had left the shorter one may be missing from it.
 * - Rules and limits in observe mode deny nothing, and an observed limit counts as any other. Their finding is returned
 *   where no other denies.
 * - Approvals: by binding an agent has at most one. A rule of the trip's `approvals` finds nothing where its binding has
 *   a usable one; an allowed check uses those of all such rules that find something, in the same step. A denial by such a
 *   rule is answered by the approval that waits (`approval_pending`) or that a person has denied (`approval_denied`, until
 *   it expires); otherwise it opens one with `candidateId`, or there are too many (`too_many_pending`). Where `namedId` is an
 *   approval of the agent with a binding that no rule of the trip has, or one of this binding that is over, the reason is
 *   that, and none is opened. In observe mode nothing is asked for. `takeBack` makes used approvals usable again, and does not close one that was opened.
 *   Where a check is judged again, what its earlier judgement used is usable for the new one alone, and stays used
 *   whatever the new one is, because the event of the earlier one may be in the log (`usedBefore`).
 *   Approvals that are over are known for `KNOWN_MS`, while the agent has no more than `MOST_APPROVALS`; at that bound a new
 *   one takes the place of one that was used up.
 * - Bounds of facts and limits: a fact or window is kept from its first use until it was not used for its length, and
 *   for at most twice as long. Where there is no room, expired ones are removed. If there is still none, a limit is
 *   exceeded, and a check that sets a new fact violates `noRoom`. If such a fact was to be set although its check was
 *   denied or in observe mode, each check of the agent that reads or sets facts violates `noRoom` for as long as that
 *   fact would have held, also after a rebuild (`UNKNOWN_FACTS`). An observed limit without room is not counted.
 * - Order: each judged check with `rules` or `wantsSeen` takes the next number of its agent, refusals included.
 * - Observe mode: no violation denies. It is returned with the outcome `allowed`, everything counts as for an allowed
 *   check, and nothing freezes.
 * - Days and months are those of the counters' clock in UTC.
 * - Claims: a judgement with an idempotency key becomes its open claim in the same step, and replaces an earlier claim.
 *   A refusal does not replace an answered claim: that stays, for the rest of its time.
 * - Bounds of claims: at the bound of its account a new claim evicts the account's oldest answered one. At the overall
 *   bound it evicts the oldest answered one of the account with the most claims, or if that has none, of its own
 *   account. Open claims are never evicted. An evicted key is unknown: its next check is a new one.
 *
 * **Failures.** `check` resolves with `unavailable` where the other methods reject with `CountersUnavailable`; it
 * rejects only by a defect. Every other method that returns a promise rejects with `CountersUnavailable` when the
 * counters are on a server or in another thread, and that cannot be reached or does not answer in time; the call may
 * then have had its effect. Besides:
 * - `usage`, `agentUsage`, `ruleBalances`, `answerOf`, `useOnce`, `claims`, `isFrozen`, `giveBack`, `giveBackHeld` and `decideApproval` reject
 *   with it while the counters do not serve; `version` does so on a server, and answers in process.
 * - `answered` and `takeBack` reject with it when the counts were lost and no rebuild has begun.
 * - `now`, `raise`, `freeze` and `unfreeze` work whether or not the counters serve.
 */
export interface Counters {
  /** `null` when the counters serve; else the reason. May be behind by a fraction of a second. */
  unavailable(): string | null;
  /** Whole ms since the epoch. Never decreases; while it is ahead of the wall clock it advances at half speed. */
  now(): Promise<number>;
  check(trip: CheckTrip): Promise<CheckTripResult>;
  /**
   * Closes an open claim. An answer with status 200, allowed or denied, is kept for repetitions; one with another
   * status (a refusal) removes the claim. Does nothing where there is no open claim: the first answer stays. With
   * `entropy` (the judgement's) it does nothing either when the claim has been judged again since. A check that is
   * answered with 503 because its append is in doubt does not call this: its claim stays open, and a retry gets
   * `claimed`.
   */
  answered(accountId: string, keySha256: string, answer: StoredAnswer, entropy?: string): Promise<void>;
  /**
   * Reverts what a judgement counted; only for events that are certainly not in the log (`LogRefused`, or never sent).
   * Without a key it reverts at once, so it is called once. With a key, every check that received the judgement
   * (`judged`, `rejudged`, `claimed`) and failed in this way calls it; the last of them reverts and removes the claim,
   * since the event of another one may be in the log. Does nothing when the claim is answered or judged again.
   */
  takeBack(accountId: string, agentId: string, judgement: Judgement, keySha256: string | null): Promise<void>;
  /**
   * Sets the total credits of an agent's spending so far. Raises earlier totals of the same day and month and never
   * lowers them, so a repetition changes nothing. Ignores a day or month other than the newest in which the agent has
   * spending, and an agent without spending. Spending less credits is never below zero.
   */
  giveBack(agentId: string, sums: GivenBackSums): Promise<void>;
  /**
   * Returns reserved amounts of a check to their limits, because its action was skipped. Each is removed once: a
   * repetition changes nothing, nor does an amount that has left its window or was reverted. An amount that is not
   * returned counts in full until it leaves its window.
   */
  giveBackHeld(agentId: string, held: readonly HeldAmount[]): Promise<void>;
  /**
   * Decides an approval that waits. Changes nothing where the binding has another approval, or this one was decided, is
   * used up or is not known; but a usable one that is reusable and not known is kept.
   */
  decideApproval(decision: ApprovalDecision): Promise<void>;
  /** Raises the version of a record; a lower or equal one changes nothing. */
  raise(kind: VersionedKind, id: string, version: number): Promise<void>;
  /** The version last raised; `null`: none was. One of a session is forgotten after 7 days on Redis. */
  version(kind: VersionedKind, id: string): Promise<number | null>;
  /** Sets the freeze flag unless the agent was unfrozen at or after `atMs`. `check` never sets it. */
  freeze(agentId: string, atMs: number): Promise<void>;
  /** Clears the freeze flag, keeps the time of doing so and returns it (ms by the counters' clock). */
  unfreeze(agentId: string): Promise<number>;
  /** The freeze flag; the read model may say `frozen` all the same. */
  isFrozen(agentId: string): Promise<boolean>;
  usage(accountId: string): Promise<AccountUsage>;
  /**
   * Uses a name that may be used once, such as the nonce of a signature. It is kept for `ONCE_MS`, on a server also when
   * that runs in another process than before. Rejects with `CountersUnavailable` while the counters do not serve.
   */
  useOnce(use: OnceUse): Promise<OnceUsed>;
  /**
   * The answer of an answered claim, also one that would not be replayed any more; `null`: there is no such claim, or it
   * is open. Changes nothing.
   */
  answerOf(accountId: string, keySha256: string): Promise<StoredAnswer | null>;
  /** For metrics. Expired claims of an account that makes no checks may still be included. */
  claims(): Promise<ClaimFigures>;
  /** Changes nothing. */
  agentUsage(agentId: string, rate: RateLimit | null): Promise<AgentUsage>;
  /** Facts and balances of limits of an agent. Changes nothing: amounts outside a narrower window stay. */
  ruleBalances(agentId: string, question: RuleQuestion): Promise<RuleBalances>;
  /**
   * Begins a rebuild: takes the lease that one gateway holds at a time, drops totals and claims, and keeps versions,
   * freezes and unfreezes. The counters do not serve from now until `serve`. `null`: they serve already, or another
   * gateway holds the lease; nothing was changed. The adapter renews the lease while `restore` and `replay`
   * are called at least every 2 minutes. After it is lost, `restore`, `replay` and `serve` reject with
   * `CountersUnavailable` and change nothing, until this or `abandonRebuild` is called.
   */
  beginRebuild(): Promise<RebuildLease | null>;
  /**
   * Releases the lease, so that any gateway may begin again from zero. The counters do not serve. Without a lease:
   * nothing.
   */
  abandonRebuild(): Promise<void>;
  /**
   * Adds a snapshot: totals and rates of its accounts and agents replace existing ones, versions only increase, a
   * freeze is ignored where a later unfreeze is known, claims are kept within their bounds. Advances the clock to their
   * times as `replay` does. Without `beginRebuild` it takes the lease itself, if no other gateway holds it, and drops
   * nothing; the counters do not serve from then on.
   */
  restore(snapshot: UsageSnapshot): Promise<void>;
  /**
   * Counts events of the tail, each event id once in a rebuild. Call it only while the counters do not serve. Takes the
   * lease as `restore` does.
   * Advances the clock to the time of each event, except to one that is more than a day ahead of the wall clock.
   */
  replay(events: readonly CountedEvent[]): Promise<void>;
  /** Takes the lease as `restore` does, ends the rebuild and releases the lease: from now on the counters serve. */
  serve(): Promise<void>;
  /** Releases a lease and the connection. Afterwards checks are `unavailable`. */
  close(): Promise<void>;
}
