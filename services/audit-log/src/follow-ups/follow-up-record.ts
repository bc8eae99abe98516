import type { ArchivedEvent, FollowUpRecord, LeafEvent, Openings } from '@countersign/contracts';
import { memberOf } from '../domain/member-of.js';

/** Type of an event that says what was found and done about the refused check to which it refers. */
export const FOLLOWED_UP = 'account.alert_followed_up';

/** The follow-up that an event of {@link FOLLOWED_UP} records; `null`: it refers to nothing. */
export function followUpRecord({
  leaf,
  openings,
}: {
  readonly leaf: LeafEvent;
  readonly openings: Openings;
}): FollowUpRecord | null {
  const { eventId: id, refersTo, occurredAt: at, detail } = leaf;
  if (refersTo === null) return null;
  const note = memberOf(openings.action?.value, 'note');
  return { id, eventId: refersTo, at, by: actorOf(detail), note: typeof note === 'string' ? note : null };
}

/** The follow-ups of an account among the events that refer to one, oldest first. */
export function followUpsAmong(referring: readonly ArchivedEvent[], accountId: string): readonly FollowUpRecord[] {
  return referring.flatMap(({ envelope }) => {
    const isOwn = envelope.accountId === accountId && envelope.leaf.type === FOLLOWED_UP;
    return (isOwn ? followUpRecord(envelope) : null) ?? [];
  });
}

/** @param detail pseudonym of the leaf (FORMAT.md, "Events of an account") */
function actorOf(detail: string | null): FollowUpRecord['by'] {
  const [kind = 'unknown', id = null] = (detail ?? 'unknown').split(':');
  return { kind, id };
}
