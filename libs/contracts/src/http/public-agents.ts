import { error } from './fragments.js';
import { LOOK_UP, revalidated } from './public-answers.js';
import { nullable, type JsonOf } from './json-schema.js';
import { route } from './route.js';

const isoTime = { type: 'string', format: 'date-time' } as const;

const publicAgent = {
  type: 'object',
  required: ['verified', 'action_count'],
  properties: {
    verified: { const: true, description: 'a finalized transaction of its owner registered the agent' },
    agent_type: nullable({ type: 'string' }),
    registered_at: nullable(isoTime),
    created_at: nullable(isoTime),
    action_count: { type: 'integer', minimum: 0, description: 'recorded checks, allowed and denied' },
    status: { enum: ['Active', 'Frozen', 'Inactive'] },
    owner_wallet: nullable({ type: 'string', description: 'address of the wallet that registered the agent' }),
  },
  additionalProperties: false,
} as const;

/** Public record of a registered agent. This service sets every member. */
export type PublicAgentRecord = Required<JsonOf<typeof publicAgent>>;

/** Public lookup of registered agents: no account is needed. */
export const publicAgentRoutes = {
  lookUpAgent: route({
    service: 'verification',
    method: 'GET',
    path: '/v1/verify/{ssn}',
    operationId: 'lookUpAgent',
    summary: 'Public record of a registered agent, by its blockchain SSN',
    tag: 'Public',
    auth: 'none',
    perAddress: LOOK_UP,
    params: {
      ssn: {
        type: 'string',
        pattern: '^[Cc][Ss][Nn](-[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{4}){4}$',
        description: 'CSN-XXXX-XXXX-XXXX-XXXX in Crockford base32, the last a check character; lower case is accepted',
      },
    },
    success: 200,
    responses: {
      200: { description: 'the public record', schema: publicAgent, headers: revalidated },
      304: { description: 'unchanged since the ETag in If-None-Match' },
      400: error('not an SSN: wrong form or check character'),
      404: error('no agent has this SSN'),
      500: error('the lookup failed'),
    },
  }),
} as const;
