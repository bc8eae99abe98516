import type { EventsQuery, ExportQuery } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { eventFilter, NoSuchTime, type EventFilter } from '../domain/event-filter.js';

/** Filter of a query. @throws HttpRefusal 400 for a day that no calendar has */
export function filterOf(query: EventsQuery | ExportQuery): EventFilter {
  try {
    return eventFilter(query);
  } catch (error) {
    if (error instanceof NoSuchTime) throw new HttpRefusal(400, error.message);
    throw error;
  }
}
