import { EVENT_STATUSES, FRAMEWORKS } from '../package.js';
import { error, instant, isoTime, pageOf, paging, sessionErrors, sha256Hex, uuid } from './fragments.js';
import { nullable, openObject, type JsonOf, type QueryOf } from './json-schema.js';
import { route } from './route.js';

const service = 'reporting' as const;
const tag = 'Reports' as const;
const count = { type: 'integer', minimum: 0 } as const;
const framework = { type: 'string', enum: FRAMEWORKS } as const;
const RELATIONS = ['direct', 'supporting', 'contextual'] as const;
const relation = { type: 'string', enum: RELATIONS } as const;

export const CONTROL_STATES = ['shown', 'shown_with_gaps', 'not_shown', 'needs_declaration', 'does_not_apply'] as const;
/** How far the events of a range show a control; never a verdict over the control itself. */
export type ControlState = (typeof CONTROL_STATES)[number];

const coveredControl = openObject({
  framework,
  controlId: { type: 'string' },
  relation: {
    ...relation,
    description: '`contextual`: its events relate to the control and show no part of it, so it is `not_shown`',
  },
  title: { type: 'string' },
  edition: { type: 'string' },
  rationale: { type: 'string', description: 'one sentence: how far an event shows the control' },
  sourceUrl: { type: 'string' },
  situations: {
    type: 'array',
    items: { type: 'string' },
    description: 'kinds of events that are evidence for it, such as `denied_api`; `any_event`: all',
  },
  state: {
    type: 'string',
    enum: CONTROL_STATES,
    description: '`needs_declaration`: see `PUT /v1/compliance-scope`; `does_not_apply`: by the declaration',
  },
  events: { ...count, description: 'events of the range that are evidence for the control' },
  satisfied: count,
  prevented: count,
  gap: { ...count, description: 'of these events, the ones with the status `Gap, review required`' },
  lastAt: { ...nullable(instant), description: 'time of the newest of these events' },
});

/** One control of the mapping, with the events of a range that are evidence for it. */
export type CoveredControl = JsonOf<typeof coveredControl>;

const coverage = openObject({
  from: instant,
  to: instant,
  asOf: { ...instant, description: 'when it was computed: events answered before are counted' },
  events: { ...count, description: 'events of the range' },
  mapping: openObject({ version: { type: 'string' }, sha256: sha256Hex }),
  statements: {
    type: 'array',
    description: 'what each framework says of its scope, with the declaration of the account',
    items: openObject({ framework, text: { type: 'string' } }),
  },
  controls: {
    type: 'array',
    description: 'every control of the mapping, also those without an event, in the order of the mapping',
    items: coveredControl,
  },
  columns: {
    type: 'array',
    items: { type: 'string' },
    description: 'by `by`: the days in UTC (`2026-03-01`), or the ids of the agents; `control`: none',
  },
  cells: {
    type: 'array',
    description: 'the cells that have events',
    items: openObject({
      control: { ...count, description: 'index in `controls`' },
      column: { ...count, description: 'index in `columns`' },
      events: count,
      gap: count,
    }),
  },
});

/** Answer of `GET /v1/coverage`. */
export type Coverage = JsonOf<typeof coverage>;

const coveringEvent = openObject({
  eventId: uuid,
  agentId: uuid,
  sequence: { type: 'integer', minimum: 1 },
  occurredAt: instant,
  type: { type: 'string' },
  outcome: { type: ['string', 'null'] },
  status: { type: 'string', enum: EVENT_STATUSES },
  statusReason: { type: ['string', 'null'] },
});

/** An event that is evidence for a control, with its status. */
export type CoveringEvent = JsonOf<typeof coveringEvent>;

const range = { from: isoTime, to: isoTime, agentId: uuid } as const;
const errors = {
  400: error('the request is malformed, or the range holds too many events: the text names one that fits'),
  ...sessionErrors,
  503: error('the archive cannot be read, or the account has as many computations under way as it may'),
} as const;

/** Routes of reporting that count events by the controls that they are evidence for. */
export const coverageRoutes = {
  coverage: route({
    service,
    method: 'GET',
    path: '/v1/coverage',
    operationId: 'getCoverage',
    summary: 'How far the events of a range show the controls of the frameworks',
    tag,
    auth: 'session',
    query: { framework, ...range, by: { type: 'string', enum: ['control', 'day', 'agent'], default: 'control' } },
    success: 200,
    responses: {
      200: { description: 'the controls, and the cells of control by day or agent', schema: coverage },
      ...errors,
      404: error('the account has no such agent'),
    },
  }),
  coveringEvents: route({
    service,
    method: 'GET',
    path: '/v1/coverage/events',
    operationId: 'listCoveringEvents',
    summary: 'The events that `GET /v1/coverage` counts for a control, newest first',
    tag,
    auth: 'session',
    query: {
      framework,
      controlId: { type: 'string', minLength: 1, maxLength: 100 },
      relation,
      ...range,
      status: { type: 'string', enum: EVENT_STATUSES },
      ...paging,
    },
    success: 200,
    responses: {
      200: { description: 'a page of events', schema: pageOf('events', coveringEvent) },
      ...errors,
      404: error('the account has no such agent, or the mapping no such control'),
    },
  }),
} as const;

export type CoverageQuery = QueryOf<typeof coverageRoutes.coverage>;
export type CoveringEventsQuery = QueryOf<typeof coverageRoutes.coveringEvents>;
