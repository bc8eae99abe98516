import type { EventEnvelope } from '@countersign/contracts';
import { plainEnvelope, plainLeaf } from '@countersign/evidence';
import { eventIdOf } from './event-id.js';

/** A check whose answer was a 503 although its event was sent, or may have been. */
export interface UnansweredCheck {
  readonly eventId: string;
  readonly agentId: string;
  readonly accountId: string;
  readonly cadenceSeconds: number;
  readonly apiKeyId: string;
}

/** `action.unanswered`: records that the answer of an event was in doubt, whether or not the event is in the log. */
export function unansweredEvent(check: UnansweredCheck, nowMs: number, entropy: string): EventEnvelope {
  const leaf = plainLeaf({
    type: 'action.unanswered',
    eventId: eventIdOf(nowMs, entropy),
    refersTo: check.eventId,
    agentId: check.agentId,
    occurredAt: new Date(nowMs).toISOString(),
  });
  const { accountId, cadenceSeconds, apiKeyId } = check;
  return plainEnvelope(leaf, { accountId, cadenceSeconds, apiKeyId, openings: {} });
}
