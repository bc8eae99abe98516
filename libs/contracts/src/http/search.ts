import { bodyErrors, sessionErrors } from './fragments.js';
import { openObject, type JsonOf, type QueryOf } from './json-schema.js';
import { route } from './route.js';

const SEARCH_KINDS = ['event', 'agent', 'merkle_root', 'transaction'] as const;

const hit = openObject({
  kind: { enum: SEARCH_KINDS },
  id: {
    type: 'string',
    description:
      'of an agent; otherwise of an event: with a Merkle root or transaction, of the first event of an agent in its window',
  },
  label: { type: 'string', description: 'name of the agent, or what and when the event is' },
});

/** Something that a text names. */
export type SearchHit = JsonOf<typeof hit>;

export const searchRoutes = {
  search: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/search',
    operationId: 'search',
    summary: 'Finds events, agents and windows by their ids, names, roots and transactions',
    tag: 'Events',
    auth: 'session',
    query: {
      q: {
        type: 'string',
        minLength: 2,
        maxLength: 200,
        description:
          'an id of an event or agent, an SSN, a Merkle root or a transaction, each in full; or how the name of an agent begins. Absent: it finds nothing',
      },
    },
    success: 200,
    responses: {
      200: {
        description: 'at most 10 hits of each kind; none: nothing of the account has that name',
        schema: openObject({ hits: { type: 'array', items: hit } }),
      },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
} as const;

export type SearchQuery = QueryOf<typeof searchRoutes.search>;
