import { bodyErrors, offset, pageOf, sessionErrors, uuid } from './fragments.js';
import { openObject, type JsonOf, type QueryOf } from './json-schema.js';
import { route } from './route.js';

const count = { type: 'integer', minimum: 0 } as const;

const agentCompleteness = openObject({
  agentId: uuid,
  first: { ...count, description: 'the first sequence that is counted: 1, or the 100,000th before the last' },
  last: { ...count, description: 'the last sequence of the agent; 0: it has no events' },
  stored: {
    ...count,
    description: 'events from `first` to `last` that are stored: all of them, unless some are missing',
  },
  windows: { ...count, description: 'anchored windows that hold events from `first` on' },
  anchoredThrough: { ...count, description: 'the highest sequence in an anchored window; 0: none is' },
  breaks: {
    type: 'array',
    maxItems: 10,
    description: 'sequences from `first` to `anchoredThrough` that are in no window, the lowest first, at most 10',
    items: openObject({ first: count, last: count }),
  },
});

/** Stored events and anchored windows of an agent, and the gaps between them. */
export type AgentCompleteness = JsonOf<typeof agentCompleteness>;

export const completenessRoutes = {
  completeness: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/completeness',
    operationId: 'getCompleteness',
    summary: 'Whether the events of each agent, and the windows that anchor them, are without a gap',
    tag: 'Events',
    auth: 'session',
    query: { agentId: uuid, limit: { type: 'integer', minimum: 1, maximum: 20, default: 10 }, offset },
    success: 200,
    responses: {
      200: { description: 'a page of agents', schema: pageOf('agents', agentCompleteness) },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
} as const;

export type CompletenessQuery = QueryOf<typeof completenessRoutes.completeness>;
