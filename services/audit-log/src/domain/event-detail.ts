import type { ArchivedEvent, EventDetail, EventWindow, LeafType } from '@countersign/contracts';
import { followUpsAmong } from '../follow-ups/follow-up-record.js';
import { listedEvent } from './event-record.js';

/**
 * The event with all that the archive knows about it.
 * @param referring events that refer to it
 * @param window the anchored window that holds it, or `null`
 */
export function eventDetail(
  event: ArchivedEvent,
  referring: readonly ArchivedEvent[],
  window: EventWindow | null,
  nowMs: number,
): EventDetail {
  const { sequence, erased, envelope } = event;
  const { leaf, openings, coverage, apiKeyId } = envelope;
  const own = referring.filter(({ envelope: { accountId } }) => accountId === envelope.accountId);
  return {
    ...listedEvent({ sequence, leaf, openings, anchored: window !== null }, nowMs),
    leaf,
    opened: openings,
    erased,
    coverage,
    apiKeyId,
    profileSha256: leaf.profileSha256,
    window,
    dueBy: window === null ? dueBy(leaf.occurredAt, envelope.cadenceSeconds) : null,
    outcomes: own.filter(isOf('action.outcome')).map(outcomeOf),
    unanswered: own.some(isOf('action.unanswered')),
    followUps: followUpsAmong(own, envelope.accountId),
  };
}

/**
 * End of the window of an event, ISO: the next multiple of the cadence after its time. Anchoring cuts windows there, and
 * needs some seconds more.
 */
export function dueBy(occurredAt: string, cadenceSeconds: number): string {
  const duration = cadenceSeconds * 1000;
  return new Date((Math.floor(Date.parse(occurredAt) / duration) + 1) * duration).toISOString();
}

const isOf =
  (type: LeafType) =>
  ({ envelope: { leaf } }: ArchivedEvent): boolean =>
    leaf.type === type;

function outcomeOf({ sequence, envelope: { leaf, openings } }: ArchivedEvent): EventDetail['outcomes'][number] {
  const { eventId, occurredAt, outcome } = leaf;
  return { eventId, occurredAt, sequence, outcome, detail: openings.payload?.value ?? null };
}
