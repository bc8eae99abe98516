import type { EventEnvelope, LeafEvent } from '@countersign/contracts';
import { eventIdOf } from './event-id.js';

/** A check whose answer was a 503 although its event was sent, or may have been. */
export interface UnansweredCheck {
  readonly eventId: string;
  readonly agentId: string;
  readonly accountId: string;
  readonly cadenceSeconds: number;
  readonly apiKeyId: string;
}

/** `action.unanswered`: says of an event that its answer had an unknown fate, whether the event landed or not. */
export function unansweredEvent(check: UnansweredCheck, nowMs: number, entropy: string): EventEnvelope {
  const leaf: LeafEvent = {
    v: 1,
    type: 'action.unanswered',
    eventId: eventIdOf(nowMs, entropy),
    refersTo: check.eventId,
    agentId: check.agentId,
    occurredAt: new Date(nowMs).toISOString(),
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
  };
  return {
    v: 1,
    leaf,
    openings: {},
    accountId: check.accountId,
    cadenceSeconds: check.cadenceSeconds,
    costMicros: 0,
    countsAction: false,
    countsRate: false,
    freezesAgent: false,
    apiKeyId: check.apiKeyId,
    idempotency: null,
    answer: null,
    coverage: null,
  };
}
