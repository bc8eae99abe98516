import { instant, words } from './fragments.js';
import { CHECK_OUTCOMES, LEAF_TYPES, REPORTED_OUTCOMES, SEVERITIES, VIOLATION_TYPES, type LeafType } from '../leaf.js';
import { eventRecord, type EventRecord } from './event-record.js';
import {
  bodyErrors,
  error,
  isoTime,
  limit,
  pageOf,
  paging,
  sessionErrors,
  sha256Hex,
  uuid,
  notRecorded,
} from './fragments.js';
import { nullable, openObject, type BodyOf, type JsonOf, type JsonSchema, type QueryOf } from './json-schema.js';
import { route } from './route.js';

export const EXPORT_FORMATS = ['ocsf', 'csv'] as const;
/** `account`: the types that begin with `account.`; `agents`: all others. */
export const EVENT_KINDS = ['account', 'agents'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const outcome = {
  type: 'string',
  enum: [...CHECK_OUTCOMES, ...REPORTED_OUTCOMES],
} as const;

const anchorRecord = {
  type: 'object',
  required: [
    'merkle_root',
    'event_ids',
    'chain_tx_signature',
    'chain_block_height',
    'anchored_at',
    'window_start',
    'window_end',
    'event_count',
  ],
  properties: {
    merkle_root: sha256Hex,
    event_ids: { type: 'array', items: uuid },
    chain_tx_signature: { type: 'string' },
    chain_block_height: { type: 'integer' },
    anchored_at: instant,
    window_start: instant,
    window_end: instant,
    event_count: { type: 'integer' },
  },
} as const;

/** One anchored window of an agent. */
export type AnchorRecord = JsonOf<typeof anchorRecord>;

const keysetPage = openObject({
  events: { type: 'array', items: eventRecord },
  limit: { type: 'integer' },
  next: {
    type: ['string', 'null'],
    description:
      'send it as `before` for the next page; `null`: there are no more events. With `rule` or `by` a page may have fewer events than `limit`, or none, before the last one',
  },
});

/** Filters of `GET /v1/events` and of its export. */
const eventFilters = {
  agentId: uuid,
  from: isoTime,
  to: isoTime,
  // Typed as a tuple of one: TypeScript’s recursion over its elements ends before 52.
  type: { type: 'string', enum: LEAF_TYPES as readonly string[] as readonly [LeafType] },
  outcome,
  allowed: { type: 'boolean' },
  violation_type: { type: 'string', enum: VIOLATION_TYPES },
  rule: { type: 'string', minLength: 1, maxLength: 1024 },
  trace: {
    type: 'string',
    pattern: '^[0-9a-f]{32}$',
    description:
      'only checks of this trace: the trace id of the `traceparent` that a check was sent with. Events whose content was erased have none',
  },
  kind: {
    type: 'string',
    enum: EVENT_KINDS,
    description:
      '`account`: events of the account itself (`account.*`), such as sign-ins, changes of users, keys and plans, reports that are issued, published and shared, alert destinations, streams, alerts that are closed, and legal holds; signing keys of the operator are not among them. Their content is shown to admins and auditors. `agents`: all others',
  },
  by: {
    ...uuid,
    description:
      'id of a user: changes of agents and profiles, approvals and erasures by this user, and events of the account (`account.*`) by or about the user',
  },
} as const;

const erasureQuery = {
  reason: {
    type: 'string',
    minLength: 1,
    maxLength: 500,
    pattern: '\\S',
    description:
      'why the content is erased, such as the number of a request: committed in the event `content.erased` and shown with it, so it should name no person. That of the first erasure is kept',
  },
} as const;

const openCount: JsonSchema = { type: 'integer', minimum: 0 };

const alertGroup = openObject({
  agentId: uuid,
  outcome: { type: ['string', 'null'] },
  violation_type: { type: ['string', 'null'] },
  rule: { type: ['string', 'null'] },
  severity: nullable({ type: 'string', enum: SEVERITIES }),
  count: { type: 'integer', minimum: 1 },
  firstAt: instant,
  lastAt: instant,
  newest: { ...eventRecord, description: 'the event of `lastAt`' },
});

/** Open alerts of one agent, outcome, violation and rule; times are ISO 8601 UTC. */
export type AlertGroup = Omit<JsonOf<typeof alertGroup>, 'newest'> & {
  readonly newest: EventRecord;
};

/** Routes of audit-log. */
export const auditLogRoutes = {
  listEvents: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/events',
    operationId: 'listEvents',
    summary: 'Events of the account, newest first',
    tag: 'Events',
    auth: 'session',
    query: {
      ...eventFilters,
      ...paging,
      total: { type: 'boolean' },
      before: { type: 'string', minLength: 1, maxLength: 300 },
    },
    success: 200,
    responses: {
      200: {
        description:
          'a page of events; `total` counts all that match the filters. With `total=false`, `before`, `rule`, `trace` or `by`: `next` instead of `total` and `offset`',
        schema: { anyOf: [pageOf('events', eventRecord), keysetPage] },
      },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
  exportEvents: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/events/export',
    operationId: 'exportEvents',
    summary: 'Every event that matches the filters, newest first, as OCSF 1.9.0 events or as CSV',
    tag: 'Events',
    auth: 'session',
    query: {
      format: { type: 'string', enum: EXPORT_FORMATS },
      ...eventFilters,
    },
    success: 200,
    responses: {
      200: {
        description:
          '`format=ocsf`: JSON lines; `format=csv`: UTF-8 with a byte order mark. An export whose connection is cut is incomplete',
        contentType: 'application/x-ndjson',
        schema: { type: 'string' },
        alsoAs: ['text/csv'],
        headers: { 'content-disposition': 'a file name' },
      },
      400: bodyErrors[400],
      ...sessionErrors,
      503: error('the archive cannot be read, or too many exports are running'),
    },
  }),
  eraseContent: route({
    service: 'audit-log',
    method: 'DELETE',
    path: '/v1/events/{eventId}/content',
    operationId: 'eraseEventContent',
    summary: 'Erase the stored action and payload of an event; its leaf and its proofs remain',
    tag: 'Events',
    auth: 'session',
    role: 'admin',
    params: { eventId: uuid },
    query: erasureQuery,
    success: 204,
    responses: {
      204: { description: 'erased' },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('the account has no such event'),
      409: error('a legal hold keeps the content: the text names the hold and says what to do'),
      503: error('the erasure is not durable, or not complete yet: try again'),
    },
  }),
  listAlerts: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/alerts',
    operationId: 'listAlerts',
    summary: 'Violation inbox: events denied or frozen since the last acknowledgement, newest first',
    tag: 'Alerts',
    auth: 'session',
    query: paging,
    success: 200,
    responses: {
      200: {
        description: 'the inbox',
        schema: {
          type: 'object',
          required: ['alerts', 'openCount', 'acknowledgedAt'],
          properties: {
            alerts: { type: 'array', items: eventRecord },
            openCount,
            acknowledgedAt: nullable(instant),
            total: { type: 'integer' },
            limit: { type: 'integer' },
            offset: { type: 'integer' },
          },
        },
      },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
  countOpenAlerts: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/alerts/open-count',
    operationId: 'countOpenAlerts',
    summary: 'Number of open alerts',
    tag: 'Alerts',
    auth: 'session',
    success: 200,
    responses: {
      200: {
        description: 'the count',
        schema: {
          type: 'object',
          required: ['openCount'],
          properties: { openCount },
        },
      },
      ...sessionErrors,
    },
  }),
  listAlertGroups: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/alerts/groups',
    operationId: 'listAlertGroups',
    summary: 'Open alerts by agent, violation and rule, the latest group first',
    tag: 'Alerts',
    auth: 'session',
    query: { limit },
    success: 200,
    responses: {
      200: {
        description: 'the inbox in groups',
        schema: openObject({
          groups: { type: 'array', items: alertGroup },
          openCount,
          acknowledgedAt: nullable(instant),
          grouped: {
            ...openCount,
            description: 'open alerts that are in the counts: the newest 10,000, or all of them',
          },
          place: {
            type: 'string',
            description: 'send it as `upTo` to acknowledge what these groups count, and no more',
          },
        }),
      },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
  acknowledgeAlerts: route({
    service: 'audit-log',
    method: 'POST',
    path: '/v1/alerts/acknowledge',
    operationId: 'acknowledgeAlerts',
    summary: 'Close all alerts that are open now, or those up to a place',
    tag: 'Alerts',
    auth: 'session',
    role: 'member',
    body: {
      type: 'object',
      properties: {
        upTo: {
          type: 'string',
          minLength: 1,
          maxLength: 2000,
          description: '`place` of `GET /v1/alerts/groups`: alerts that came later stay open; absent: all are closed',
        },
        note: {
          ...words,
          description:
            'what was found and done: committed in the event `account.alerts_acknowledged`. Where no alert is closed, nothing is recorded',
        },
      },
      additionalProperties: false,
    },
    bodyOptional: true,
    success: 200,
    responses: {
      200: {
        description: 'alerts are closed; `openCount` are still open',
        schema: {
          type: 'object',
          required: ['openCount', 'acknowledgedAt'],
          properties: { openCount, acknowledgedAt: instant },
        },
      },
      ...bodyErrors,
      ...sessionErrors,
      ...notRecorded,
    },
  }),
  listAgentAnchors: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/agents/{id}/anchors',
    operationId: 'listAgentAnchors',
    summary: 'Anchored windows of an agent with the ids of their events, newest first',
    tag: 'Agents',
    auth: 'session',
    params: { id: uuid },
    query: paging,
    success: 200,
    responses: {
      200: {
        description: 'a page of anchors',
        schema: pageOf('anchors', anchorRecord),
      },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('the account has no such agent'),
    },
  }),
} as const;

/** `from` is inclusive, `to` is exclusive. */
export type EventsQuery = QueryOf<typeof auditLogRoutes.listEvents>;
export type AcknowledgeBody = BodyOf<typeof auditLogRoutes.acknowledgeAlerts>;
export type ErasureQuery = QueryOf<typeof auditLogRoutes.eraseContent>;
export type ExportQuery = QueryOf<typeof auditLogRoutes.exportEvents>;
