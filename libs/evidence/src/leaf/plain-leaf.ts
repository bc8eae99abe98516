import type { EventEnvelope, LeafEvent } from '@countersign/contracts';

/** Fields that every leaf has, whatever its type. */
export type LeafHead = Pick<LeafEvent, 'type' | 'eventId' | 'agentId' | 'occurredAt'>;

/**
 * A leaf with these members; all others of its version are `null`, since every key is in every leaf. Without `v` it is
 * of version 1.
 */
export function plainLeaf(given: LeafHead & Partial<LeafEvent>): LeafEvent {
  return {
    v: 1,
    refersTo: null,
    outcome: null,
    allowed: null,
    reason: null,
    severity: null,
    violation_type: null,
    rule: null,
    detail: null,
    actionKind: null,
    profileVersion: null,
    profileSha256: null,
    action: null,
    payload: null,
    ...(given.v === 2 ? { context: null, coverage: null } : {}),
    ...given,
  };
}

/** The envelope of a leaf that is not a check: it counts nothing, freezes nothing and answers no check. */
export function plainEnvelope(
  leaf: LeafEvent,
  given: Pick<EventEnvelope, 'accountId' | 'cadenceSeconds' | 'apiKeyId' | 'openings'>,
): EventEnvelope {
  return {
    v: 1,
    leaf,
    ...given,
    costMicros: 0,
    countsAction: false,
    countsRate: false,
    freezesAgent: false,
    idempotency: null,
    answer: null,
    coverage: null,
  };
}
