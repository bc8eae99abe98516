import { instant, sessionErrors, uuid } from './fragments.js';
import { nullable, openObject, type JsonOf } from './json-schema.js';
import { windowFacts } from './one-event.js';
import { route } from './route.js';

const count = { type: 'integer', minimum: 0 } as const;

const anchoringState = openObject({
  cadenceSeconds: { type: ['integer', 'null'], description: 'seconds between windows; `null`: not known here yet' },
  events: { ...count, description: 'events of all agents' },
  unanchored: { ...count, description: 'events after the last anchored one of their agent' },
  oldestUnanchored: nullable(
    openObject({ agentId: uuid, eventId: uuid, sequence: count, occurredAt: instant, dueBy: instant }),
  ),
  newestWindow: nullable(openObject(windowFacts)),
});

/** How far the events of an account are anchored; answer of `GET /v1/anchoring`. */
export type AnchoringState = JsonOf<typeof anchoringState>;

export const anchoringStateRoutes = {
  anchoringState: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/anchoring',
    operationId: 'getAnchoringState',
    summary: 'How far the events of the account are anchored',
    tag: 'Events',
    auth: 'session',
    success: 200,
    responses: { 200: { description: 'the state', schema: anchoringState }, ...sessionErrors },
  }),
} as const;
