import { EARLIEST, HOUR_MS, LATEST } from '../domain/count-times.js';
import type { EventFilter } from '../domain/event-filter.js';
import type { StoredEvent } from '../domain/event-record.js';
import { placePage } from '../domain/place-page.js';
import type { Cursor, EventStore, Page } from '../store/port.js';

const FIRST_HOUR = Math.floor(EARLIEST / HOUR_MS);
const END_HOUR = Math.ceil(LATEST / HOUR_MS);

/**
 * The account's events of rare classes, newest first, such as the changes of a profile among millions of checks. `list`
 * would look at every event of the range; here the counts by hour say in which hours they are, and only these are read.
 * @param filter without times: all of them are counted
 */
export async function rareEvents(
  store: Pick<EventStore, 'countHours' | 'pageAfter'>,
  accountId: string,
  filter: Omit<EventFilter, 'fromMs' | 'toMs' | 'rule' | 'trace'>,
  page: Page,
): Promise<{ readonly events: readonly StoredEvent[]; readonly total: number }> {
  const { agentId } = filter;
  const counted = await store.countHours(accountId, {
    ...(agentId === undefined ? {} : { agentIds: [agentId] }),
    ...{ filter, firstHour: FIRST_HOUR, endHour: END_HOUR, hoursEach: 1 },
  });
  const byHour = new Map<number, number>();
  for (const { hour, count } of counted) byHour.set(hour, (byHour.get(hour) ?? 0) + count);
  const times = [...byHour]
    .sort(([a], [b]) => b - a)
    .map(([hour, count]) => ({ fromMs: hour * HOUR_MS, toMs: (hour + 1) * HOUR_MS, count }));
  const { total, fromMs, toMs, offset, limit } = placePage(times, page);
  const events: StoredEvent[] = [];
  for (const time of times) {
    if (time.toMs > toMs || time.fromMs < fromMs) continue;
    const within = { ...filter, fromMs: time.fromMs, toMs: time.toMs };
    for (let after: Cursor | null = null; events.length < offset + limit;) {
      const read = await store.pageAfter(accountId, within, after, offset + limit - events.length);
      events.push(...read.events);
      after = read.next;
      if (after === null) break;
    }
  }
  return { events: events.slice(offset, offset + limit), total };
}
