import type { EventEnvelope, LeafEvent } from '@countersign/contracts';

/** What every leaf says, whatever its type. */
export type LeafHead = Pick<LeafEvent, 'type' | 'eventId' | 'agentId' | 'occurredAt'>;

/** A leaf with these members; what is not given is `null`, since every key is in every leaf. */
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
    ...given,
  };
}

/** The envelope of a leaf that is no check: it counts nothing, freezes nothing and answers nobody. */
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
