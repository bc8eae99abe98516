import type { Plan, SpendingWindow, RateLimit, Severity, ViolationType, AnswerExtras } from '@countersign/contracts';

/** Records whose version in a gateway's read model must not be older than the counters'. */
export type VersionedKind = 'account' | 'api-key' | 'session' | 'agent';

/** A denial by the static rules (off-limits, APIs, data scope, output), found before the trip. */
export interface StaticViolation {
  readonly violation_type: ViolationType;
  readonly severity: Severity;
  readonly reason: string;
  readonly rule: string | null;
  readonly detail: string | null;
  readonly extras: AnswerExtras | null;
}

/** Input of the one atomic round trip of a check. Money is whole micro-dollars, at most 2^53 − 1. */
export interface CheckTrip {
  readonly accountId: string;
  readonly agentId: string;
  readonly apiKeyId: string;
  /** Versions in the gateway's read model when it judged the static rules. */
  readonly versions: { readonly account: number; readonly apiKey: number; readonly agent: number };
  readonly plan: { readonly plan: Plan; readonly actionCap: number | null; readonly sandboxExpiresAtMs: number | null };
  /** Version of the agent's profile for the static rules: an allowed answer is replayed only under it. */
  readonly profileVersion: number;
  /** The agent's status in the read model is `frozen`. */
  readonly frozen: boolean;
  readonly observe: boolean;
  readonly freezeOnViolation: boolean;
  readonly violation: StaticViolation | null;
  readonly costMicros: number;
  readonly spending: { readonly limitMicros: number; readonly window: SpendingWindow } | null;
  readonly rate: RateLimit | null;
  readonly idempotency: { readonly keySha256: string; readonly bodySha256: string } | null;
  /** Fresh random material of the gateway: 10 bytes hex for the event id; salts in base64url. */
  readonly entropy: string;
  readonly actionSalt: string;
  readonly payloadSalt: string | null;
}

/** Decision of the trip. With the request's body and the profile it determines the event's bytes. */
export interface Judgement {
  /** The counters' clock, ms since the epoch. */
  readonly nowMs: number;
  readonly entropy: string;
  readonly actionSalt: string;
  readonly payloadSalt: string | null;
  readonly versions: CheckTrip['versions'];
  readonly outcome: 'allowed' | 'denied' | 'frozen' | 'sandbox_expired' | 'action_cap';
  /** The violation found, static or counted; in observe mode present although `outcome` is `allowed`. */
  readonly violation: StaticViolation | null;
  readonly costMicros: number;
  readonly countsAction: boolean;
  /** Allowed (or let pass in observe mode) under a profile with a rate limit: counts towards it. */
  readonly countsRate: boolean;
  readonly freezesAgent: boolean;
}

/** The answer, verbatim, for a repeated idempotency key. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly eventId: string;
  readonly coverage: string | null;
}

export type CheckTripResult =
  | { readonly kind: 'judged'; readonly judgement: Judgement }
  /** Nothing was counted or claimed: the read model is older than this; wait for it and retry. */
  | { readonly kind: 'stale'; readonly versions: CheckTrip['versions'] }
  /** The same key with the same body was answered, and the answer still holds: give the same answer. */
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  /** The same key is pending or had a 503: append the bytes that this judgement determines, then answer. */
  | { readonly kind: 'claimed'; readonly judgement: Judgement }
  /**
   * As `claimed`, but freeze, plan or profile changed since: judged again; the old event is to be marked unanswered.
   */
  | { readonly kind: 'rejudged'; readonly judgement: Judgement; readonly superseded: Judgement }
  /** The same key with another body. */
  | { readonly kind: 'conflict' }
  /** The bound of idempotency keys is reached by pending ones, and none is answered: nothing was counted. */
  | { readonly kind: 'crowded'; readonly most: number }
  /** The counters lost their data and are being rebuilt, or cannot be reached: answer 503. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface AccountUsage {
  /** Actions in the current period (paid: calendar month UTC). */
  readonly actionsInPeriod: number;
  readonly actionsEver: number;
  readonly period: string;
}

/** Usage that a check of an agent would be judged by now. */
export interface AgentUsage {
  readonly nowMs: number;
  /** The freeze flag. */
  readonly frozen: boolean;
  /** Spending of the day and the month, less credits. */
  readonly dayMicros: number;
  readonly monthMicros: number;
  /** Checks in the requested rate window; 0 without one. */
  readonly rateCount: number;
  /** Time of the check that must leave that window before another one fits; `null` when one fits now, or none ever. */
  readonly rateBlockedBy: number | null;
}

/** Effect of an event of the log on the counters; derived from its envelope by the caller. */
export interface CountedEvent {
  readonly partition: number;
  readonly offset: number;
  readonly accountId: string;
  readonly agentId: string;
  readonly eventId: string;
  readonly occurredAtMs: number;
  readonly countsAction: boolean;
  readonly countsRate: boolean;
  readonly costMicros: number;
  readonly freezesAgent: boolean;
  readonly idempotency: {
    readonly keySha256: string;
    readonly bodySha256: string;
    /** Version of the profile that judged it; `null`: unknown. */
    readonly profileVersion: number | null;
    readonly answer: StoredAnswer;
  } | null;
}

export interface UsageSnapshot {
  readonly accounts: readonly {
    readonly accountId: string;
    readonly period: string;
    readonly actionsInPeriod: number;
    readonly actionsEver: number;
  }[];
  readonly agents: readonly {
    readonly agentId: string;
    readonly day: string;
    readonly dayMicros: number;
    readonly month: string;
    readonly monthMicros: number;
    /** Credited part of the sums; absent: nothing. */
    readonly dayBackMicros?: number;
    readonly monthBackMicros?: number;
    readonly rateTimes: readonly number[];
    readonly frozen: boolean;
    readonly unfrozenAtMs: number;
  }[];
  readonly claims: readonly {
    readonly accountId: string;
    readonly keySha256: string;
    readonly bodySha256: string;
    readonly occurredAtMs: number;
    /** As in `CountedEvent`: an allowed answer of an unknown profile is not replayed. */
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

/** They have lost their data and are being rebuilt, or cannot be reached. */
export class CountersUnavailable extends Error {
  override readonly name = 'CountersUnavailable';
}

/** Time for which an idempotency key is remembered, ms. */
export const CLAIM_MS = 24 * 60 * 60 * 1000;
/** Time for which an answer that allows is replayed, ms; a denial is replayed as long as its key is remembered. */
export const ALLOW_REPLAY_MS = 10 * 60 * 1000;

/** Maximum numbers of remembered idempotency keys. */
export interface ClaimBounds {
  /** Of all accounts. */
  readonly all: number;
  /** Of one account. */
  readonly account: number;
}
export const CLAIM_BOUNDS: ClaimBounds = { all: 1_000_000, account: 100_000 };

/** Remembered idempotency keys. */
export interface ClaimFigures {
  /** Not answered yet. */
  readonly open: number;
  readonly answered: number;
  /** Forgotten early for a bound of {@link ClaimBounds}, since the counters were rebuilt. */
  readonly evicted: number;
}

/** Reports whether an answer to a check allows its action. */
export function allows(answer: StoredAnswer): boolean {
  return answer.body.startsWith('{"allowed":true');
}

/** The lease of a rebuild. */
export interface RebuildLease {
  /**
   * Time after the start of the lease within which an event judged before it may still reach the log, ms: the tail is
   * read to its end again after that, before `serve`.
   */
  readonly settleMs: number;
}

/**
 * The state that gateways share when they decide. One clock, one atomic trip per check.
 *
 * `check` judges in this order and counts only what it decided: version of the API key (stale) → idempotency (answered,
 * conflict, claimed) → versions (stale) → plan (`sandbox_expired`, `action_cap`) → freeze → the static violation →
 * spending → rate. The key's version comes first, because the caller must be authenticated before an old answer is
 * returned.
 * - Stale: a version that was raised, or under which the open claim of this idempotency key was judged, is above the
 *   trip's. It has no effect.
 * - Plan: expired from `sandboxExpiresAtMs` on; the cap is compared with all actions ever in a sandbox, else with those
 *   of the calendar month.
 * - A check that reaches the policy (everything after freeze) counts one action, allowed or denied; spending and rate
 *   count only allowed ones.
 * - Spending: day and month are counted whether or not a limit is set. The sum of the window plus this cost must not
 *   exceed the limit (`action`: the cost alone); a free action exceeds none, even where the window already exceeds it.
 *   Sums saturate at 2^53 − 1. Credits of a window are not in its sum.
 * - Rate: an exact sliding window over the checks judged under a rate limit; one counts while `now − time < per_seconds
 *   * 1000`. A window that a profile widens contains what the narrower one still contained.
 * - In observe mode nothing after freeze denies: the violation is returned, the outcome is `allowed`, everything
 *   counts, nothing freezes.
 * - Windows are those of the counters' clock in UTC.
 * - With an idempotency key the judgement is kept as a claim for 24 hours in the same step. A claim whose account or
 *   agent version or freeze flag has changed is judged again (`rejudged`); what it counted is reverted first.
 * - Claims are bounded: beyond the bound a check with a new idempotency key is `unavailable`.
 * - `check` never sets the freeze flag: the gateway calls `freeze` once the denial is durable.
 */
export interface Counters {
  /** `null` when it serves; else the reason. */
  unavailable(): string | null;
  /** ms since the epoch; never decreases, never stays the same for long. */
  now(): Promise<number>;
  check(trip: CheckTrip): Promise<CheckTripResult>;
  /**
   * Keeps the answer of a claim; the first one stays. An answer other than 200 is not replayed: it ends the claim. With
   * `entropy` (the judgement's) only if the claim has not been judged again since.
   */
  answered(accountId: string, keySha256: string, answer: StoredAnswer, entropy?: string): Promise<void>;
  /**
   * Reverts what a judgement counted: only for a definite failure to append (`LogRefused`); drops its claim. With a key
   * it does so when every check that received this judgement (`judged`, `claimed`) has failed so: another attempt in
   * doubt may succeed. Does nothing once the claim is answered or judged again.
   */
  takeBack(accountId: string, agentId: string, judgement: Judgement, keySha256: string | null): Promise<void>;
  /**
   * Sets the total credits of an agent's spending so far. It raises and never lowers earlier credits of the same day
   * and month, so that a repetition changes nothing; of windows other than the newest counted ones it changes nothing.
   * No sum falls below zero. Rejects as `usage` does.
   */
  giveBack(agentId: string, sums: GivenBackSums): Promise<void>;
  /** Raises, never lowers. */
  raise(kind: VersionedKind, id: string, version: number): Promise<void>;
  /** May reject with `CountersUnavailable` while it does not serve. */
  version(kind: VersionedKind, id: string): Promise<number | null>;
  /** Sets the freeze flag unless the agent was unfrozen at or after `atMs`. */
  freeze(agentId: string, atMs: number): Promise<void>;
  /** Clears the flag and remembers the time; returns it (ms by the counters' clock). */
  unfreeze(agentId: string): Promise<number>;
  isFrozen(agentId: string): Promise<boolean>;
  /** Rejects with `CountersUnavailable` while it does not serve, as does `isFrozen`. */
  usage(accountId: string): Promise<AccountUsage>;
  /** For metrics. Where accounts are idle, claims that have expired may still be counted. Rejects as `usage` does. */
  claims(): Promise<ClaimFigures>;
  /** Counts nothing and forgets nothing. Rejects as `usage` does. */
  agentUsage(agentId: string, rate: RateLimit | null): Promise<AgentUsage>;
  /**
   * Takes the lease of a rebuild, for one gateway at a time: earlier totals and claims are dropped, versions, freezes
   * and unfreezes stay. `null`: another gateway holds it, or they serve by now. Calls of an earlier holder that lost it
   * reject with `CountersUnavailable`, as this does while they cannot be reached.
   */
  beginRebuild(): Promise<RebuildLease | null>;
  /** Releases the lease without finishing, for another gateway to start from zero. */
  abandonRebuild(): Promise<void>;
  /**
   * Begins or continues a rebuild (without a lease it takes one, and drops nothing): adds the snapshot's facts (totals
   * replace, versions and freezes only increase; a freeze older than the known unfreeze is ignored). A claim of a
   * snapshot is answered.
   */
  restore(snapshot: UsageSnapshot): Promise<void>;
  /**
   * Applies events of the log's tail, each once by event id within a rebuild. The clock does not fall behind them,
   * unless they are more than a day ahead of it.
   */
  replay(events: readonly CountedEvent[]): Promise<void>;
  /** Ends the rebuild: from now on it serves. */
  serve(): Promise<void>;
  close(): Promise<void>;
}
