import type { ApprovalRequested, ApprovalUsed, EventEnvelope } from '@countersign/contracts';
import { uuidV7 } from '@countersign/evidence';
import { check } from '../policy.test-context.js';

export const T = Date.UTC(2026, 2, 1);
export const APPROVAL = 'apr_bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
export const EXPIRES_MS = T + 600_000;

export function asked(over: Partial<ApprovalRequested> = {}): ApprovalRequested {
  return {
    state: 'requested',
    id: APPROVAL,
    ruleId: 'night',
    ruleSha256: 'c'.repeat(64),
    bindingSha256: 'd'.repeat(64),
    expiresSeconds: 600,
    expiresAt: new Date(EXPIRES_MS).toISOString(),
    requester: { apiKeyId: 'key' },
    ...over,
  };
}

export function used(over: Partial<ApprovalUsed> = {}): ApprovalUsed {
  const { id, ruleId, bindingSha256, expiresAt } = asked();
  return { state: 'consumed', id, ruleId, bindingSha256, expiresAt, ...over };
}

/** Id of the check at offset `n`. */
export const checkId = (n: number): string => uuidV7(T + n, new Uint8Array(10));

/** The message of check `n` that asks for an approval. */
export function asking(n: number, over: Partial<ApprovalRequested> = {}): EventEnvelope {
  return { ...check({ eventId: checkId(n), occurredAtMs: T + n, denied: true }), approvals: [asked(over)] };
}

/** The message at offset `n` that orders the erasure of the content of an event. */
export function erasing(n: number, refersTo: string): EventEnvelope {
  const { leaf, approvals: _none, ...envelope } = check({ eventId: checkId(n), occurredAtMs: T + n });
  return { ...envelope, leaf: { ...leaf, type: 'content.erased', refersTo } };
}

/** The message of check `n` that used an approval. */
export function using(n: number, over: Partial<ApprovalUsed> = {}): EventEnvelope {
  return { ...check({ eventId: checkId(n), occurredAtMs: T + n }), approvals: [used(over)] };
}
