import type { Asked } from '../instance/instance.js';
import { isDefinitelyNot, isRecorded, type Attempt } from './load.js';

/** Members of an event record that are compared here. */
export interface ListedEvent {
  readonly eventId: string;
  readonly agentId: string;
  readonly type: string;
  readonly refersTo: string | null;
  readonly sequence: number;
  readonly allowed: boolean | null;
  readonly anchored: boolean;
  readonly ahead?: true;
  readonly occurredAt: string;
  readonly profileVersion: number | null;
  readonly action: { readonly metadata?: { readonly marker?: string } | null } | null;
}

export type Session = Readonly<Record<string, string>>;

const PAGE = 1000;

/** All events from `from` (ISO) on, newest first. */
export async function listEvents(instance: Asked, session: Session, from: string): Promise<ListedEvent[]> {
  const listed: ListedEvent[] = [];
  for (;;) {
    const path = `/v1/events?limit=${PAGE}&offset=${listed.length}&from=${encodeURIComponent(from)}`;
    const { status, json, text } = await instance.request('GET', path, { headers: session });
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    const { events, total } = json as { events: ListedEvent[]; total: number };
    listed.push(...events);
    if (events.length === 0 || listed.length >= total) return listed;
  }
}

/**
 * Differences between the answers and the list of events; empty
 * if there are none.
 */
export function differences(attempts: readonly Attempt[], listed: readonly ListedEvent[]): string[] {
  const byId = new Map(listed.map((event) => [event.eventId, event]));
  const byMarker = new Map<string, ListedEvent[]>();
  for (const event of listed) {
    const marker = event.action?.metadata?.marker;
    if (event.type === 'action.checked' && marker !== undefined) {
      byMarker.set(marker, [...(byMarker.get(marker) ?? []), event]);
    }
  }
  const found: string[] = [];
  for (const attempt of attempts) {
    const { marker, status, eventId, text } = attempt;
    const events = byMarker.get(marker) ?? [];
    if (events.length > 1) found.push(`${marker} was recorded ${events.length} times`);
    if (isDefinitelyNot(attempt) && events.length > 0)
      found.push(`${marker} was answered ${String(status)} ${text} and is recorded`);
    if (!isRecorded(attempt)) continue;
    const event = eventId === null ? undefined : byId.get(eventId);
    if (event === undefined)
      found.push(`${marker} was answered ${String(status)} and event ${String(eventId)} is not listed`);
    else if (events[0] !== event) found.push(`${marker} was answered with the id of another event`);
    else if (event.allowed !== (JSON.parse(text) as { allowed: boolean }).allowed)
      found.push(`${marker} was answered ${text} and recorded otherwise`);
  }
  return found;
}
