import type { HoldState, LegalHoldRecord } from '@countersign/contracts';

/** Who placed or released a hold, as the session named that person then. */
export interface Holder {
  readonly id: string;
  readonly email: string;
}

/** A legal hold as it is stored: it is written when it is placed, once more when it is released, and never removed. */
export interface LegalHold {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly reason: string;
  /** Lower case; `null`: everything of the account. */
  readonly agentIds: readonly string[] | null;
  /** Events with `fromMs <= occurredAt < toMs`; `null`: without this bound. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly placedAt: string;
  readonly placedBy: Holder;
  readonly released: { readonly at: string; readonly by: Holder; readonly reason: string } | null;
}

/** Content that an erasure removes. */
export interface Reach {
  readonly accountId: string;
  readonly agentId: string;
  /** Times of the events, and of those of this agent that they refer to, ms. */
  readonly times: readonly number[];
  /** Events of others to which they refer: a note about a refused check is in the trail of the account. Absent: none. */
  readonly referred?: readonly { readonly agentId: string; readonly time: number }[];
}

/** True if the hold keeps any of this content. */
export function holds(hold: LegalHold, { accountId, agentId, times, referred = [] }: Reach): boolean {
  const { agentIds, fromMs, toMs, released } = hold;
  if (released !== null || hold.accountId !== accountId) return false;
  const events = [...times.map((time) => ({ agentId, time })), ...referred];
  return events.some(
    ({ agentId: of, time }) =>
      (agentIds === null || agentIds.includes(of)) &&
      (fromMs === null || time >= fromMs) &&
      (toMs === null || time < toMs),
  );
}

/** @param isSettled no erasure of what it keeps is under way */
export function holdRecord(hold: LegalHold, isSettled: boolean): LegalHoldRecord {
  const { id, name, reason, agentIds, fromMs, toMs, placedAt, placedBy, released } = hold;
  const state: HoldState = released !== null ? 'released' : isSettled ? 'in_force' : 'settling';
  return {
    ...{ id, name, reason, agents: agentIds, from: isoOf(fromMs), to: isoOf(toMs) },
    ...{ state, placedAt, placedBy, released },
  };
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
