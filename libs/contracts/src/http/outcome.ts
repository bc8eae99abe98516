import { REPORTED_OUTCOMES } from '../leaf.js';
import { bodyErrors, error, uuid, retryLater } from './fragments.js';
import type { BodyOf } from './json-schema.js';
import { route } from './route.js';

export const outcomeRoutes = {
  reportOutcome: route({
    service: 'audit-log',
    method: 'POST',
    path: '/v1/mcp/log',
    operationId: 'mcpLog',
    summary: 'Reports the outcome of a checked action: one for each check',
    tag: 'Tool protocol',
    auth: 'api-key',
    rights: ['outcome'],
    body: {
      type: 'object',
      required: ['agentId', 'outcome'],
      properties: {
        agentId: uuid,
        eventId: { ...uuid, description: 'event of the check; default: the latest check of the agent' },
        outcome: {
          type: 'string',
          enum: REPORTED_OUTCOMES,
          description:
            '`skipped`, reported within 24 hours, refunds what the check counted towards `spending_limit`, within seconds and while its day or month (UTC) lasts; `failed` does not, since the action may have had its cost. The rate and the plan’s actions stay counted, as do checks that observe mode let pass',
        },
        detail: { type: 'string', maxLength: 65_536, description: 'content: committed, not in the leaf' },
      },
      additionalProperties: false,
    },
    success: 201,
    responses: {
      201: {
        description: 'recorded and archived',
        schema: {
          type: 'object',
          required: ['eventId'],
          properties: { eventId: { ...uuid, description: 'id of the `action.outcome` event' } },
        },
      },
      ...bodyErrors,
      401: error('no valid API key with this right'),
      404: error('no such check of this agent, or the key is not valid for the agent'),
      409: error('an outcome of this check has been reported'),
      503: retryLater('not recorded, or in doubt: try again'),
    },
  }),
};

/** Body of `POST /v1/mcp/log`. */
export type OutcomeReport = BodyOf<typeof outcomeRoutes.reportOutcome>;
