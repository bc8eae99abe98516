import type { JsonValue, UsageFacts } from '@countersign/contracts';
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

/** Rises whenever any position does: positions never fall, and the number of partitions is fixed. */
export function positionVersion(offsets: Readonly<Record<number, number>>): number {
  return Object.values(offsets).reduce((sum, offset) => sum + offset, 0);
}

export function accountRecord({ accountId, ...totals }: AccountTotals): UsageRecord {
  return { key: `account:${accountId}`, value: asJson({ kind: 'account', ...totals }) };
}

export function agentRecordOfUsage({ agentId, ...totals }: AgentTotals): UsageRecord {
  return { key: `agent:${agentId}`, value: asJson({ kind: 'agent', ...totals }) };
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
 * A claim's version outlives its row: a key that is used again, a day later, follows its own tombstone.
 * Even: the claim; odd: its end.
 */
export function claimVersion(occurredAtMs: number, over: boolean): number {
  return occurredAtMs * 2 + (over ? 1 : 0);
}
