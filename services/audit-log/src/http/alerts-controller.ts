import { Controller, Inject } from '@nestjs/common';
import { auditLogRoutes, type EventRecord, type PageQuery } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { listedEvent } from '../domain/event-record.js';
import type { EventStore, Inbox } from '../store/port.js';
import { CLOCK, STORE } from '../tokens.js';

interface AlertsPage extends Inbox {
  readonly alerts: readonly EventRecord[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** The violation inbox of an account. */
@Controller()
export class AlertsController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(CLOCK) private readonly clock: () => number,
  ) {}

  @HttpRoute(auditLogRoutes.listAlerts)
  async list(@Input() { query, caller }: RouteInput<unknown, PageQuery>): Promise<AlertsPage> {
    const { limit, offset } = query;
    const { openCount, acknowledgedAt } = await this.store.inbox(caller.accountId);
    const events = await this.store.openAlerts(caller.accountId, { limit, offset });
    const now = this.clock();
    const alerts = events.map((event) => listedEvent(event, now));
    return { alerts, openCount, acknowledgedAt, total: openCount, limit, offset };
  }

  @HttpRoute(auditLogRoutes.countOpenAlerts)
  async count(@Input() { caller }: RouteInput): Promise<{ openCount: number }> {
    const { openCount } = await this.store.inbox(caller.accountId);
    return { openCount };
  }

  @HttpRoute(auditLogRoutes.acknowledgeAlerts)
  acknowledge(@Input() { caller }: RouteInput): Promise<Inbox> {
    return this.store.acknowledge(caller.accountId, new Date(this.clock()).toISOString());
  }
}
