import { EVENT_AHEAD_MS, isAccountStream } from '@countersign/contracts';
import type { EventRecord, LeafEvent, Openings, Role } from '@countersign/contracts';
import { shownAction } from '@countersign/event-formats';

/** A stored leaf: `openings` without those that were erased or never kept. */
export interface StoredEvent {
  readonly sequence: number;
  readonly leaf: LeafEvent;
  readonly openings: Openings;
  readonly anchored: boolean;
}

/**
 * The event as a person of this role may see it: names and addresses of people in the trail of the account are for admins and
 * auditors, as they are in packages. Everybody else sees its leaf, with the pseudonym of who acted.
 */
export function shownTo<E extends Pick<StoredEvent, 'leaf' | 'openings'>>(role: Role, event: E): E {
  const isShown = role !== 'member' || !isAccountStream(event.leaf.agentId);
  return isShown ? event : { ...event, openings: {} };
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
