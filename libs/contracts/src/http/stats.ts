import { bodyErrors, instant, isoTime, pageOf, paging, sessionErrors, uuid } from './fragments.js';
import { nullable, openObject, type JsonOf, type QueryOf } from './json-schema.js';
import { route } from './route.js';

const service = 'audit-log' as const;
const tag = 'Events' as const;
const count = { type: 'integer', minimum: 0 } as const;
const counts = { type: 'array', items: count } as const;

const checkStats = openObject({
  from: instant,
  to: instant,
  step: { type: 'integer' },
  asOf: { ...nullable(instant), description: 'time of the newest stored event' },
  series: {
    type: 'array',
    description: 'most checks first',
    items: openObject({
      key: { type: 'string', description: 'an outcome, a violation type, a rule or the id of an agent, by `by`' },
      total: count,
      counts: { ...counts, description: 'one for each step from `from` on' },
    }),
  },
  other: { ...nullable(counts), description: 'the sums of the series that `top` leaves out; `null`: there are none' },
});

/** Checks in steps of time; answer of `GET /v1/stats/checks`. */
export type CheckStats = JsonOf<typeof checkStats>;

const agentStats = openObject({
  agentId: uuid,
  checks: count,
  denied: count,
  observed: { ...count, description: 'allowed in observe mode, and would have been denied' },
  lastEventAt: { ...nullable(instant), description: 'of all events, not only of the range' },
  lastSequence: count,
  anchoredThrough: { ...count, description: 'the highest sequence in an anchored window; 0: none is' },
  spark: { ...counts, minItems: 24, maxItems: 24, description: 'checks in 24 equal parts of the range' },
});

/** Checks of an agent in a range of time. */
export type AgentStats = JsonOf<typeof agentStats>;

/** Routes of audit-log with numbers of checks. */
export const statsRoutes = {
  checkStats: route({
    service,
    method: 'GET',
    path: '/v1/stats/checks',
    operationId: 'getCheckStats',
    summary: 'Numbers of checks over time, by outcome, violation, rule or agent',
    tag,
    auth: 'session',
    query: {
      from: isoTime,
      to: isoTime,
      step: {
        type: 'integer',
        enum: [60, 300, 3600, 86400],
        default: 3600,
        description:
          'seconds; at most 1,500 steps. With 60 or 300 the hours of the range have at most 100,000 checks, with `by=rule` at most 100,000 violations',
      },
      by: { type: 'string', enum: ['outcome', 'violation_type', 'rule', 'agent'], default: 'outcome' },
      agentId: uuid,
      top: { type: 'integer', minimum: 1, maximum: 12, default: 10 },
    },
    success: 200,
    responses: {
      200: { description: 'counts in steps; `from` and `to` are the bounds of the steps', schema: checkStats },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
  agentStats: route({
    service,
    method: 'GET',
    path: '/v1/stats/agents',
    operationId: 'getAgentStats',
    summary: 'Numbers of checks of each agent, its last event, and how far it is anchored',
    tag,
    auth: 'session',
    query: {
      from: isoTime,
      to: isoTime,
      sort: { type: 'string', enum: ['checks', 'denied'], default: 'checks' },
      ...paging,
    },
    success: 200,
    responses: {
      200: {
        description: 'a page of agents, also of those without checks; the range is in whole hours',
        schema: pageOf('agents', agentStats),
      },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
} as const;

export type CheckStatsQuery = QueryOf<typeof statsRoutes.checkStats>;
export type AgentStatsQuery = QueryOf<typeof statsRoutes.agentStats>;
