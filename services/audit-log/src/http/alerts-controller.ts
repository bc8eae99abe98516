import { Controller, Inject } from '@nestjs/common';
import { auditLogRoutes } from '@countersign/contracts';
import type { AcknowledgeBody, AlertGroup, EventRecord, PageQuery } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { Acknowledgements } from '../acknowledge/acknowledgements.js';
import { listedEvent } from '../domain/event-record.js';
import { groupAlerts } from '../domain/open-alert.js';
import type { EventStore, Inbox, InboxPlace } from '../store/port.js';
import { ACKNOWLEDGEMENTS, CLOCK, STORE } from '../tokens.js';

interface AlertsPage extends Inbox {
  readonly alerts: readonly EventRecord[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** Open alerts that are grouped: the newest. */
const GROUPED = 10_000;

interface GroupedAlerts extends Inbox {
  readonly groups: readonly AlertGroup[];
  readonly grouped: number;
  readonly place: string;
}

/** The violation inbox of an account. */
@Controller()
export class AlertsController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(CLOCK) private readonly clock: () => number,
    @Inject(ACKNOWLEDGEMENTS) private readonly acknowledgements: Acknowledgements,
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

  @HttpRoute(auditLogRoutes.listAlertGroups)
  async groups(@Input() { query, caller }: RouteInput<unknown, Pick<PageQuery, 'limit'>>): Promise<GroupedAlerts> {
    const { alerts, place, ...inbox } = await this.store.openLeaves(caller.accountId, GROUPED);
    const shown = groupAlerts(alerts).slice(0, query.limit);
    const now = this.clock();
    const groups = await Promise.all(
      shown.map(async ({ newest, firstAt, count }): Promise<AlertGroup | null> => {
        const { eventId, agentId, outcome, violationType, rule, severity, occurredAt: lastAt } = newest;
        const event = await this.store.find(caller.accountId, eventId);
        if (event === null) return null;
        const about = { agentId, outcome, violation_type: violationType, rule, severity };
        return { ...about, count, firstAt, lastAt, newest: listedEvent(event, now) };
      }),
    );
    return {
      groups: groups.filter((group) => group !== null),
      ...inbox,
      grouped: alerts.length,
      place: Buffer.from(JSON.stringify(place)).toString('base64url'),
    };
  }

  @HttpRoute(auditLogRoutes.acknowledgeAlerts)
  async acknowledge(@Input() { body, caller }: RouteInput<AcknowledgeBody>): Promise<Inbox> {
    const { upTo, note = null } = body;
    return this.acknowledgements.acknowledge(caller, upTo === undefined ? undefined : placeOf(upTo), note);
  }
}

/** @throws HttpRefusal 400 */
function placeOf(text: string): InboxPlace {
  try {
    const place: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isNumber = (part: unknown): part is number => Number.isSafeInteger(part) && (part as number) >= 0;
    if (Array.isArray(place) && place.every(isNumber)) return place;
  } catch {
    // Not JSON.
  }
  throw new HttpRefusal(400, 'upTo must be place of an answer of GET /v1/alerts/groups');
}
