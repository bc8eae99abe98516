import { Controller, Inject } from '@nestjs/common';
import { auditLogRoutes, type EventRecord, type EventsQuery } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput, SessionCaller } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { EventFilter } from '../domain/event-filter.js';
import { listedEvent, shownTo } from '../domain/event-record.js';
import { placeOfText, placeText } from '../domain/list-place.js';
import type { Cursor, EventStore } from '../store/port.js';
import { CLOCK, STORE } from '../tokens.js';
import { filterOf } from '../list-events/filter-of.js';

interface EventsPage {
  readonly events: readonly EventRecord[];
  readonly limit: number;
}

interface CountedPage extends EventsPage {
  readonly total: number;
  readonly offset: number;
}

/** A page without counts; `next` is sent as `before` for the next one. */
interface KeysetEvents extends EventsPage {
  readonly next: string | null;
}

@Controller()
export class ListEventsController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(CLOCK) private readonly clock: () => number,
  ) {}

  @HttpRoute(auditLogRoutes.listEvents)
  async list(@Input() { query, caller }: RouteInput<unknown, EventsQuery>): Promise<CountedPage | KeysetEvents> {
    const { limit, offset, before, total, rule, trace, by } = query;
    const paged = [before, rule, trace, by].some((member) => member !== undefined);
    const counts = !paged && total !== false;
    if (!counts) return this.#after(query, caller);
    const page = await this.store.list(caller.accountId, filterOf(query), { limit, offset });
    return { events: this.#listed(caller, page.events), total: page.total, limit, offset };
  }

  async #after(query: EventsQuery, caller: SessionCaller): Promise<KeysetEvents> {
    const { limit, offset } = query;
    if (offset !== 0)
      throw new HttpRefusal(400, 'offset does not go with before, total=false, rule, trace or by: send before');
    const filter = filterOf(query);
    const { events, next } = await this.store.pageAfter(caller.accountId, filter, afterOf(query, filter), limit);
    return { events: this.#listed(caller, events), limit, next: next === null ? null : placeText(filter, next) };
  }

  #listed({ role }: SessionCaller, events: Awaited<ReturnType<EventStore['list']>>['events']): readonly EventRecord[] {
    const now = this.clock();
    return events.map((event) => listedEvent(shownTo(role, event), now));
  }
}

function afterOf({ before }: EventsQuery, filter: EventFilter): Cursor | null {
  if (before === undefined) return null;
  const cursor = placeOfText(filter, before);
  if (cursor === null) throw new HttpRefusal(400, 'before must be next of an answer with the same agentId and trace');
  return cursor;
}
