import { EVENT_AHEAD_MS, listedAction } from '@countersign/contracts';
import type { EventRecord, JsonValue, LeafEvent, ListedAction, Openings } from '@countersign/contracts';

/** A stored leaf: `openings` without those that were erased or never kept. */
export interface StoredEvent {
  readonly sequence: number;
  readonly leaf: LeafEvent;
  readonly openings: Openings;
  readonly anchored: boolean;
}

/** The event as the lists show it at `nowMs`: marked where it lies ahead of that. */
export function listedEvent(event: StoredEvent, nowMs: number): EventRecord {
  const ahead = Date.parse(event.leaf.occurredAt) - nowMs > EVENT_AHEAD_MS;
  return { ...eventRecord(event), ...(ahead && { ahead }) };
}

/** The event by itself, at whatever time it is read. */
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
    rule: leaf.rule,
  };
}

/** A check's action by its fields; any other type's committed value (an outcome commits its detail as payload). */
function shownAction(leaf: LeafEvent, openings: Openings): ListedAction | JsonValue {
  if (leaf.type !== 'action.checked') return openings.action?.value ?? openings.payload?.value ?? null;
  const value = openings.action?.value;
  return value === undefined ? null : listedAction(value);
}
