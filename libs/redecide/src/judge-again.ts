import type { LeafEvent, RuleTrip, Severity, StaticViolation } from '@countersign/contracts';
import { countedRules, decide, isOwnFact } from '@countersign/policy-engine';
import type { CompiledProfile, Decision, Violation } from '@countersign/policy-engine';
import { dollars, nanosOf, nanosOfText } from './amounts.js';
import { NO_ROOM_FOR_FACTS } from './balances/counted-check.js';
import { satisfiedRules } from './read-events.js';
import type { ShownCheck, ShownContext } from './read-events.js';

/** The members of a leaf and of its context that follow from the inputs of a check. */
export interface Recomputed {
  readonly outcome: string;
  readonly allowed: boolean;
  readonly severity: Severity | null;
  readonly violation_type: string | null;
  readonly rule: string | null;
  readonly actionKind: string;
  readonly coverage: readonly string[];
  readonly effect: string;
}

/** A judgement of a check whose inputs are all known. */
export interface Judged {
  readonly recomputed: Recomputed;
  /** Findings, facts and charges by the rules of the profile; `null`: none. */
  readonly trip: RuleTrip | null;
  /** No violation but that of a limit, or none, was found in enforce mode. */
  readonly freeBeforeLimits: boolean;
}

type Found = Pick<StaticViolation | Violation, 'violation_type' | 'severity' | 'rule'> &
  Partial<Pick<StaticViolation, 'extras'>>;
/** A check with its inputs. */
export type CompleteCheck = ShownCheck & {
  readonly context: ShownContext;
  readonly action: NonNullable<ShownCheck['action']>;
};

/** Judges a check again by `profile`, with the balances that it saw: FORMAT.md, "Re-decision", "Verdict". */
export function judgeAgain({ leaf, atMs, context, action }: CompleteCheck, profile: CompiledProfile): Judged {
  const { request_time: requestTime, principal = null, session = null, issuer, actors, seen } = context;
  const decision = decide(profile, action, {
    agentId: leaf.agentId,
    principal,
    session,
    ...(issuer === undefined ? {} : { issuer }),
    ...(actors === undefined ? {} : { actors: actors.map(({ id }) => id) }),
    time: requestTime.seconds,
    offsets: requestTime.offsets,
  });
  const trip = profile.rules === null ? null : (countedRules(profile.rules, decision.rules!, session) ?? null);
  const refusal = refusalBy(seen, atMs);
  if (refusal !== null) return { recomputed: refusedAs(refusal, decision), trip, freeBeforeLimits: false };
  const isSet = factsSet(trip, new Set(context.facts ?? []));
  const before =
    decision.violation ??
    ruleOf(trip, isSet, false, satisfiedRules(context)) ??
    spendingOf(profile, decision, seen) ??
    rateOf(profile, seen);
  const enforced = before ?? limitOf(trip, seen, false);
  const violation: Found | null = enforced ?? ruleOf(trip, isSet, true) ?? limitOf(trip, seen, true);
  const allowed = enforced === null || profile.observe;
  return {
    recomputed: {
      outcome: allowed ? 'allowed' : 'denied',
      allowed,
      severity: violation?.severity ?? null,
      violation_type: violation?.violation_type ?? null,
      rule: violation?.rule ?? null,
      actionKind: decision.actionKind,
      coverage: decision.coverage,
      effect: effectOf(allowed, violation),
    },
    trip,
    freeBeforeLimits: before === null,
  };
}

type Refusal = 'sandbox_expired' | 'action_cap' | 'frozen';

function refusalBy({ plan, frozen }: ShownContext['seen'], atMs: number): Refusal | null {
  if (plan.expires !== null && Date.parse(plan.expires) <= atMs) return 'sandbox_expired';
  if (plan.cap !== null && plan.used >= plan.cap) return 'action_cap';
  return frozen ? 'frozen' : null;
}

function refusedAs(outcome: Refusal, { actionKind, coverage }: Decision): Recomputed {
  return {
    outcome,
    allowed: false,
    severity: outcome === 'frozen' ? 'P1' : 'P3',
    violation_type: null,
    rule: null,
    actionKind,
    coverage,
    effect: 'deny',
  };
}

/** For each fact of a trip: the check saw it set. */
function factsSet(trip: RuleTrip | null, seen: ReadonlySet<string>): readonly boolean[] {
  return (trip?.facts ?? []).map(({ id }) => isOwnFact(id) && seen.has(id));
}

/** @param satisfied rules that ask for an approval and have it */
function ruleOf(
  trip: RuleTrip | null,
  isSet: readonly boolean[],
  observe: boolean,
  satisfied?: ReadonlySet<string>,
): Found | null {
  let lowest: RuleTrip['conditional'][number] | null = null;
  for (const rule of trip?.conditional ?? []) {
    if (rule.observe !== observe || (lowest !== null && rule.rank >= lowest.rank)) continue;
    const { violation_type: type, rule: name } = rule.violation;
    if (type === 'approval_required' && name !== null && satisfied?.has(name) === true) continue;
    const assignment = rule.facts.reduce((bits, fact, bit) => bits | (isSet[fact] === true ? 1 << bit : 0), 0);
    if (((rule.truth >> assignment) & 1) === 1) lowest = rule;
  }
  return lowest?.violation ?? null;
}

function spendingOf({ spending }: CompiledProfile, { costMicros }: Decision, seen: ShownContext['seen']): Found | null {
  if (spending === null || costMicros === 0) return null;
  const { limitMicros, window } = spending;
  const counted = window === 'action' ? 0 : seen.spent[window];
  if (counted <= limitMicros - costMicros) return null;
  const rule = `spending_limit:${dollars(limitMicros)}`;
  return { violation_type: 'spending_limit_exceeded', severity: 'P2', rule };
}

function rateOf({ rate }: CompiledProfile, seen: ShownContext['seen']): Found | null {
  if (rate === null || (seen.rate ?? 0) < rate.max) return null;
  const rule = `rate_limit:${rate.max}/${rate.per_seconds}s`;
  return { violation_type: 'rate_limit_exceeded', severity: 'P3', rule };
}

function limitOf(trip: RuleTrip | null, seen: ShownContext['seen'], observe: boolean): Found | null {
  for (const { id, amount, max, observe: observed, violation } of trip?.limits ?? []) {
    const nanos = nanosOf(amount);
    if (observed !== observe || nanos === 0n) continue;
    const balance = Object.hasOwn(seen.limits, id) ? nanosOfText(seen.limits[id]!) : 0n;
    if (balance + nanos > nanosOf(max)) return violation;
  }
  return null;
}

function effectOf(allowed: boolean, violation: Found | null): string {
  if (allowed) return violation === null ? 'allow' : 'observe';
  if (violation?.violation_type === 'approval_required') return 'approve';
  const decision = violation?.extras?.decision;
  return decision === 'modify' || decision === 'defer' ? decision : 'deny';
}

/** Reports whether a check says that the counters had no room for what it counts. */
export function saysNoRoom({ rule, violation_type: type, detail }: LeafEvent): boolean {
  if (rule === NO_ROOM_FOR_FACTS) return true;
  return type === 'limit_exceeded' && detail?.endsWith(', no room to count more') === true;
}
