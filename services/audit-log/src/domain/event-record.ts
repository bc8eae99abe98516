import { listedAction } from '@countersign/contracts';
import type { EventRecord, JsonValue, LeafEvent, ListedAction, Openings } from '@countersign/contracts';

/** What the store holds of a leaf: `openings` without what was erased or never kept. */
export interface StoredEvent {
  readonly sequence: number;
  readonly leaf: LeafEvent;
  readonly openings: Openings;
  readonly anchored: boolean;
}

/** The event as the lists show it. */
export function eventRecord({ sequence, leaf, openings, anchored }: StoredEvent): EventRecord {
  return {
    eventId: leaf.eventId,
    type: leaf.type,
    agentId: leaf.agentId,
    refersTo: leaf.refersTo,
    occurredAt: leaf.occurredAt,
    sequence,
    outcome: leaf.outcome,
    allowed: leaf.allowed,
    reason: leaf.reason,
    severity: leaf.severity,
    violation_type: leaf.violation_type,
    detail: leaf.detail,
    action: shownAction(leaf, openings),
    payloadSha256: leaf.payload,
    profileVersion: leaf.profileVersion,
    anchored,
  };
}

/** A check's action by its fields; any other type's committed value (an outcome commits its detail as payload). */
function shownAction(leaf: LeafEvent, openings: Openings): ListedAction | JsonValue {
  if (leaf.type !== 'action.checked') return openings.action?.value ?? openings.payload?.value ?? null;
  const value = openings.action?.value;
  return value === undefined ? null : listedAction(value);
}
