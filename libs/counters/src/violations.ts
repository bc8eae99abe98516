import type { RateLimit, SpendingWindow } from '@countersign/contracts';
import type { AgentUsage, CheckTrip, StaticViolation } from './port.js';

/** Whole micro-dollars as dollars, without trailing zeros: 1500000 is `1.5`. */
export function dollars(micros: number): string {
  const fraction = micros % 1_000_000;
  const whole = String((micros - fraction) / 1_000_000);
  return fraction === 0 ? whole : `${whole}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
}

/**
 * The denial of an action that would exceed the spending limit. Never reveals the cost of the action, except that it
 * alone exceeds the limit, where waiting does not help.
 */
export function spendingViolation(
  { limitMicros, window }: { readonly limitMicros: number; readonly window: SpendingWindow },
  countedMicros: number,
  costMicros: number,
): StaticViolation {
  const limit = `${dollars(limitMicros)} USD per ${window}`;
  const counted = window === 'action' ? '' : `, ${dollars(countedMicros)} USD already counted`;
  const alone = costMicros > limitMicros;
  return {
    violation_type: 'spending_limit_exceeded',
    severity: 'P2',
    reason: alone
      ? `The action alone costs more than the spending limit of ${limit}: take one that costs less or ask for a higher limit.`
      : `The action would exceed the spending limit of ${limit}: wait for the next ${window} (UTC) or ask for a higher limit.`,
    rule: `spending_limit:${dollars(limitMicros)}`,
    detail: `limit ${limit}${counted}${alone ? ', the action alone costs more' : ''}`,
    extras: null,
  };
}

/** The denial of a check that does not fit into the rate window. `fitsAtMs`: when the next one will, `null`: never. */
export function rateViolation(limit: RateLimit, counted: number, fitsAtMs: number | null): StaticViolation {
  const words = `${limit.max} per ${limit.per_seconds} s`;
  const fitsAt = fitsAtMs === null ? null : isoTime(fitsAtMs);
  return {
    violation_type: 'rate_limit_exceeded',
    severity: 'P3',
    reason:
      fitsAt === null
        ? `The rate limit of ${words} admits no check: ask for a higher limit.`
        : `The rate limit of ${words} is reached: try again at ${fitsAt} or ask for a higher limit.`,
    rule: `rate_limit:${limit.max}/${limit.per_seconds}s`,
    detail: `limit ${words}, ${counted} already counted, ${fitsAt === null ? 'no check fits' : `the next check fits at ${fitsAt}`}`,
    extras: null,
  };
}

/** Violations of spending and rate that an action would cause now, each by itself. */
export function countedViolations(
  usage: AgentUsage,
  { spending, rate, costMicros }: Pick<CheckTrip, 'spending' | 'rate' | 'costMicros'>,
): { readonly spending: StaticViolation | null; readonly rate: StaticViolation | null } {
  const spent = spending?.window === 'day' ? usage.dayMicros : spending?.window === 'month' ? usage.monthMicros : 0;
  const { rateCount, rateBlockedBy } = usage;
  const fitsAt = rate === null || rateBlockedBy === null ? null : rateBlockedBy + rate.per_seconds * 1000;
  return {
    spending:
      spending !== null && costMicros > 0 && spent > spending.limitMicros - costMicros
        ? spendingViolation(spending, spent, costMicros)
        : null,
    rate: rate !== null && rateCount >= rate.max ? rateViolation(rate, rateCount, fitsAt) : null,
  };
}

/** A window of centuries may end beyond the range of a date. */
function isoTime(ms: number): string {
  return new Date(Math.min(ms, 8.64e15)).toISOString();
}
