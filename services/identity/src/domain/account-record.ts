import type { AccountRecord } from '@countersign/contracts';
import type { Account } from './members.js';
import { nextMonth } from './plans.js';

export interface Usage {
  readonly actionsInPeriod: number;
  readonly actionsEver: number;
}

/** A sandbox counts without a period and ends with its expiry; a paid plan counts by calendar month (UTC). */
export function accountRecord({ id, facts }: Account, usage: Usage, nowMs: number): AccountRecord {
  const { name, plan, actionCap, sandboxExpiresAt } = facts;
  if (sandboxExpiresAt === null) {
    const actionsUsed = usage.actionsInPeriod;
    return { id, name, plan, sandbox: null, actionCap, actionsUsed, periodEndsAt: nextMonth(nowMs) };
  }
  const actionsUsed = usage.actionsEver;
  const sandbox = { expiresAt: sandboxExpiresAt, actionCap, actionsUsed };
  return { id, name, plan, sandbox, actionCap, actionsUsed, periodEndsAt: sandboxExpiresAt };
}
