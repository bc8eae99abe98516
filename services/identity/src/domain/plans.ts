import { parseTime } from '@countersign/evidence';
import { PLANS } from '@countersign/contracts';
import type { AccountFacts, Plan } from '@countersign/contracts';

interface PlanTerms {
  readonly actionCap: number | null;
  readonly days: number | null;
  readonly cadenceSeconds: number;
}

const DAY_MS = 86_400_000;

/** Default terms of the plans. Caps: a sandbox's in total, a paid one's per calendar month (UTC). */
const PLAN_DEFAULTS: Readonly<Record<Plan, PlanTerms>> = {
  sandbox: { actionCap: 1000, days: 14, cadenceSeconds: 3600 },
  core: { actionCap: 100_000, days: null, cadenceSeconds: 3600 },
  scale: { actionCap: 1_000_000, days: null, cadenceSeconds: 300 },
  enterprise: { actionCap: null, days: null, cadenceSeconds: 1 },
};

export interface AgreedTerms {
  readonly actionCap?: number;
  /** ISO 8601; only for a sandbox. */
  readonly expiresAt?: string;
}

/** The terms cannot be agreed; the message is for the operator. */
export class PlanRefused extends Error {
  override readonly name = 'PlanRefused';
}

/**
 * The account's facts on a plan; terms that are not agreed take the plan's defaults.
 * @throws PlanRefused for an unknown plan, a cap that is not a whole number from 0, or an invalid expiry
 */
export function onPlan(name: string, plan: Plan, agreed: AgreedTerms, nowMs: number): AccountFacts {
  if (!PLANS.includes(plan)) throw new PlanRefused(`no such plan; there are ${PLANS.join(', ')}`);
  const { actionCap, days, cadenceSeconds } = PLAN_DEFAULTS[plan];
  const cap = agreed.actionCap ?? actionCap;
  if (cap !== null && (!Number.isSafeInteger(cap) || cap < 0)) {
    throw new PlanRefused('the action cap must be a whole number from 0');
  }
  return { name, plan, actionCap: cap, sandboxExpiresAt: expiry(agreed.expiresAt, days, nowMs), cadenceSeconds };
}

function expiry(agreed: string | undefined, days: number | null, nowMs: number): string | null {
  if (days === null) {
    if (agreed !== undefined) throw new PlanRefused('only a sandbox expires: leave the expiry out');
    return null;
  }
  if (agreed === undefined) return new Date(nowMs + days * DAY_MS).toISOString();
  const ms = parseTime(agreed);
  if (ms === null) {
    throw new PlanRefused('the expiry must be an ISO 8601 time that the calendar has, such as 2027-01-31T12:00:00Z');
  }
  return new Date(ms).toISOString();
}

/** Start of the calendar month (UTC) after this time. */
export function nextMonth(ms: number): string {
  const now = new Date(ms);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();
}
