import type { StoredEvent } from '../domain/event-record.js';
import type { EventStore, Page } from '../store/port.js';
import { rareEvents } from './rare-events.js';

type Read = Pick<EventStore, 'countHours' | 'pageAfter'>;

/** A page of the events that changed an agent's profile, newest first. */
export function profileChanges(
  store: Read,
  accountId: string,
  agentId: string,
  page: Page,
): Promise<{ readonly events: readonly StoredEvent[]; readonly total: number }> {
  return rareEvents(store, accountId, { agentId, type: 'profile.changed' }, page);
}

/** The event that put a version in force, and the one before it; `null`: no event names the version. */
export async function changeTo(
  store: Read,
  accountId: string,
  agentId: string,
  version: number,
): Promise<{ readonly event: StoredEvent; readonly before: StoredEvent | null } | null> {
  const newest = (await profileChanges(store, accountId, agentId, { limit: 1, offset: 0 })).events[0];
  // Each change raises the version by one.
  const offset = (newest?.leaf.profileVersion ?? 0) - version;
  if (offset < 0) return null;
  const [event, before = null] = (await profileChanges(store, accountId, agentId, { limit: 2, offset })).events;
  return event?.leaf.profileVersion === version ? { event, before } : null;
}
