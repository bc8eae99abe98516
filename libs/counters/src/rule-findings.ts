import { amountText, exceeds, isNothing, minus, NOTHING } from './amount.js';
import type { LimitBudget } from '@countersign/contracts';
import type { Amount } from './amount.js';
import type { ConditionalRule, LimitBalance, RuleTrip, TripFact, TripLimit } from './rule-trip.js';
import type { StaticViolation } from './static-violation.js';

/** Conditional rules of a trip by rank, of equal rank in their order. */
export function byRank({ conditional }: RuleTrip): readonly ConditionalRule[] {
  for (let index = 1; index < conditional.length; index += 1) {
    if (conditional[index]!.rank >= conditional[index - 1]!.rank) continue;
    return [...conditional].sort((a, b) => a.rank - b.rank);
  }
  return conditional;
}

const NO_NAMES: readonly string[] = [];
const NO_BALANCES: Readonly<Record<string, string>> = {};

/** `Seen.facts`, where `set` says of each fact whether it is set. */
export function namesOfSet(facts: readonly TripFact[], set: readonly boolean[]): readonly string[] {
  if (facts.length === 0) return NO_NAMES;
  return facts.filter((_fact, index) => set[index]).map(({ id }) => id);
}

/** `Seen.limits`, where `balances` has the sum of each limit; `undefined`: nothing. */
export function balancesById(
  limits: readonly Pick<TripLimit, 'id'>[],
  balances: readonly (Amount | undefined)[],
): Readonly<Record<string, string>> {
  if (limits.length === 0) return NO_BALANCES;
  return Object.fromEntries(limits.map(({ id }, index) => [id, amountText(balances[index] ?? NOTHING)]));
}

/** Reports whether a rule finds a violation, where `set` says of each fact of the trip whether it is set. */
export function finds({ facts, truth }: ConditionalRule, set: readonly boolean[]): boolean {
  let assignment = 0;
  for (let bit = 0; bit < facts.length; bit += 1) if (set[facts[bit]!] === true) assignment |= 1 << bit;
  return ((truth >> assignment) & 1) === 1;
}

/**
 * The violation of an exceeded limit, with maximum and balance as its detail and as a member `budget`.
 * @param resetsAtMs as in `Judgement.limit`
 */
export function limitViolation(
  {
    max,
    amount,
    windowSeconds,
    unit = 'count',
  }: Pick<TripLimit, 'max' | 'amount' | 'windowSeconds'> & {
    readonly unit?: 'count' | 'sum';
  },
  violation: StaticViolation,
  consumed: Amount,
  resetsAtMs: number | null,
): StaticViolation {
  const full = exceeds(consumed, amount, max) ? '' : ', no room to count more';
  const resets = resetsAtMs === null ? '' : `, the balance decreases at ${isoTime(resetsAtMs)}`;
  const words = `limit ${amountText(max)} per ${windowSeconds} s, ${amountText(consumed)} already counted`;
  const budget: LimitBudget = {
    unit,
    window_seconds: windowSeconds,
    limit: amountText(max),
    consumed: amountText(consumed),
    remaining: amountText(minus(max, consumed)),
    resets_at: resetsAtMs === null ? null : isoTime(resetsAtMs),
  };
  return { ...violation, detail: words + full + resets, extras: { ...violation.extras, budget } };
}

/** The violation of a limit by its balance, as a check finds it; `null`: it has room. Bounds of what is kept apart. */
export function exceededLimit(limit: TripLimit, { consumed, oldestMs }: LimitBalance): StaticViolation | null {
  if (isNothing(limit.amount) || !exceeds(consumed, limit.amount, limit.max)) return null;
  return limitViolation(limit, limit.violation, consumed, resetsAt(limit, oldestMs));
}

/** `Judgement.limit.resetsAtMs` of an exceeded limit. */
export function resetsAt(
  { amount, max, windowSeconds }: Pick<TripLimit, 'max' | 'amount' | 'windowSeconds'>,
  oldestMs: number | null,
): number | null {
  return oldestMs === null || exceeds(amount, NOTHING, max) ? null : oldestMs + windowSeconds * 1000;
}

/** A window of centuries may end beyond the range of a date. */
function isoTime(ms: number): string {
  return new Date(Math.min(ms, 8.64e15)).toISOString();
}
