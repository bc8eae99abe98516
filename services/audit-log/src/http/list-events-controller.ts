import { Controller, Inject } from '@nestjs/common';
import { auditLogRoutes, type EventRecord, type EventsQuery } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { listedEvent } from '../domain/event-record.js';
import type { EventStore } from '../store/port.js';
import { CLOCK, STORE } from '../tokens.js';
import { filterOf } from '../list-events/filter-of.js';

@Controller()
export class ListEventsController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(CLOCK) private readonly clock: () => number,
  ) {}

  @HttpRoute(auditLogRoutes.listEvents)
  async list(
    @Input() { query, caller }: RouteInput<unknown, EventsQuery>,
  ): Promise<{ events: readonly EventRecord[]; total: number; limit: number; offset: number }> {
    const { limit, offset } = query;
    const { events, total } = await this.store.list(caller.accountId, filterOf(query), { limit, offset });
    const now = this.clock();
    return { events: events.map((event) => listedEvent(event, now)), total, limit, offset };
  }
}
