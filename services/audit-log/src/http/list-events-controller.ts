import { Controller, Inject } from '@nestjs/common';
import { auditLogRoutes, type EventRecord, type EventsQuery } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { listedEvent } from '../domain/event-record.js';
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
    const { limit, offset, before, total, rule } = query;
    if (before !== undefined || total === false || rule !== undefined) return this.#after(query, caller.accountId);
    const page = await this.store.list(caller.accountId, filterOf(query), { limit, offset });
    return { events: this.#listed(page.events), total: page.total, limit, offset };
  }

  async #after(query: EventsQuery, accountId: string): Promise<KeysetEvents> {
    const { limit, offset } = query;
    if (offset !== 0) throw new HttpRefusal(400, 'offset does not go with before, total=false or rule: send before');
    const filter = filterOf(query);
    const { events, next } = await this.store.pageAfter(accountId, filter, afterOf(query, filter.agentId), limit);
    return { events: this.#listed(events), limit, next: next === null ? null : placeText(filter.agentId, next) };
  }

  #listed(events: Awaited<ReturnType<EventStore['list']>>['events']): readonly EventRecord[] {
    const now = this.clock();
    return events.map((event) => listedEvent(event, now));
  }
}

function afterOf({ before }: EventsQuery, agentId: string | undefined): Cursor | null {
  if (before === undefined) return null;
  const cursor = placeOfText(agentId, before);
  if (cursor === null) throw new HttpRefusal(400, 'before must be next of an answer with the same agentId');
  return cursor;
}
