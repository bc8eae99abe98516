import type { JsonValue, UsageFacts } from '@countersign/contracts';
import type { GivenBackSums } from '@countersign/counters';
import type { AccountTotals, AgentTotals, Claim } from './usage.js';

/** A message of the topic `usage`, before its version. */
export interface UsageRecord {
  readonly key: string;
  readonly value: JsonValue | null;
}

const asJson = (facts: UsageFacts): JsonValue => facts;

export const POSITION_KEY = 'position';

export function positionRecord(offsets: Readonly<Record<number, number>>): UsageRecord {
  return { key: POSITION_KEY, value: asJson({ kind: 'position', offsets }) };
}

/** Rises with every position: positions never fall, and the number of partitions is fixed. */
export function positionVersion(offsets: Readonly<Record<number, number>>): number {
  return Object.values(offsets).reduce((sum, offset) => sum + offset, 0);
}

export function accountRecord({ accountId, ...totals }: AccountTotals): UsageRecord {
  return { key: `account:${accountId}`, value: asJson({ kind: 'account', ...totals }) };
}

const AGENT = 'agent:';

export function agentRecordOfUsage({ agentId, ...totals }: AgentTotals): UsageRecord {
  return { key: `${AGENT}${agentId}`, value: asJson({ kind: 'agent', ...totals }) };
}

/** Spending that a record of an agent's totals gives back; `null`: none, or another record. */
export function givenBackIn({ key, value }: UsageRecord): { agentId: string; sums: GivenBackSums } | null {
  if (!key.startsWith(AGENT) || value === null) return null;
  const { day, dayBackMicros = 0, month, monthBackMicros = 0 } = value as unknown as AgentTotals;
  if (dayBackMicros === 0 && monthBackMicros === 0) return null;
  return {
    agentId: key.slice(AGENT.length),
    sums: { day, dayMicros: dayBackMicros, month, monthMicros: monthBackMicros },
  };
}

export function claimRecord(claim: Claim): UsageRecord {
  const { eventId, bodySha256, occurredAtMs, profileVersion, answer } = claim;
  const judged = profileVersion === undefined ? {} : { profileVersion };
  return {
    key: claimKey(claim),
    value: asJson({ kind: 'claim', eventId, bodySha256, occurredAtMs, ...judged, answer }),
  };
}

export function claimKey(claim: Pick<Claim, 'accountId' | 'keySha256'>): string {
  return `claim:${claim.accountId}:${claim.keySha256}`;
}

/**
 * A claim's version outlives its document: a key that is used again a day later has a version above its own tombstone.
 * Even: the claim; odd: its end.
 */
export function claimVersion(occurredAtMs: number, over: boolean): number {
  return occurredAtMs * 2 + (over ? 1 : 0);
}
