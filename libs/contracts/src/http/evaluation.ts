import { checkHeaders, originHeaders, replayHeader, traceHeader } from './check.js';
import { bodyErrors, error, isoTime } from './fragments.js';
import type { BodyOf, JsonOf, JsonSchema } from './json-schema.js';
import { route } from './route.js';
import type { RouteResponse } from './route.js';

export const EVALUATION_SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;
export type EvaluationSemantic = (typeof EVALUATION_SEMANTICS)[number];

/** Most evaluations of one request. */
export const MOST_EVALUATIONS = 100;

const text = { type: 'string', minLength: 1 } as const;
const properties = { type: 'object' } as const;

const subject = {
  type: 'object',
  description:
    'the agent: `type` is `agent`, `id` is its id. For one of another type (`identity`, `user`) the agent is the one with the OAuth client id `context.agent` (COAZ-MCP), or with this id, else the one that the API key is limited to; the subject is the principal then',
  properties: { type: text, id: text, properties },
} as const;
const action = {
  type: 'object',
  description: 'the action that it is about to take: `name` is the action’s type, `properties` its other members',
  properties: { name: text, properties },
} as const;
const resource = {
  type: 'object',
  description:
    'the object of the action: the `id` of type `url` (`uri`, `endpoint`), `tool` (`function`) or `data` (`data_scope`, `file`, `table`), in any spelling, is judged as the action’s `url`, `tool_name` or `dataScope`; so is a host of an `api` or `site`, an address of any scheme as `url` whatever its type, and the id of any other type as the tool of a `tool_use` or the scope of a `data_access`. `properties` that rules read (`url`, `payload`, `estimatedCost`, …) are members of the action. 400 if two of these differ. Everything else is recorded and not judged',
  properties: { type: text, id: text, properties },
} as const;
const context = {
  type: 'object',
  description:
    'stored as the action’s `metadata`, except for `approval`: the `result.approval` of an access request, unchanged. `agent` names the agent of another subject, by a client id in its `oauth_client_ids` or by its id. Where it is a client id, the `arguments` of a tool, here or in the properties of action or resource, are the action’s `payload`. A client of no agent that is active or frozen and that the key is valid for is `decision: false` with `code: unknown_client`, and nothing is recorded. 400 for an `agent` that is neither a text nor an object with an `id`',
} as const;

/** Members that an evaluation lacks are taken from the defaults; one that neither has is an error of that evaluation only. */
const parts = { type: 'object', properties: { subject, action, resource, context } } as const;

/** AuthZEN Authorization API 1.0, section 5: subject, action, object. Absent members may come from the defaults. */
export type EvaluationParts = JsonOf<typeof parts>;

const evaluationBody: JsonSchema = {
  type: 'object',
  required: ['subject', 'action', 'resource'],
  properties: {
    subject: { ...subject, required: ['type', 'id'] },
    action: { ...action, required: ['name'] },
    resource: { ...resource, required: ['type', 'id'] },
    context,
  },
};

const evaluationsBody = {
  type: 'object',
  properties: {
    ...parts.properties,
    evaluations: { type: 'array', maxItems: MOST_EVALUATIONS, items: parts },
    options: {
      type: 'object',
      properties: { evaluations_semantic: { type: 'string', enum: EVALUATION_SEMANTICS, default: 'execute_all' } },
    },
  },
} as const;

const decision: JsonSchema = {
  type: 'object',
  required: ['decision'],
  properties: {
    decision: { type: 'boolean' },
    context: {
      type: 'object',
      description:
        'the event that records the decision, and for a denial the members that `POST /v1/check` returns in addition to `allowed`',
      properties: {
        event_id: { type: 'string', description: 'absent where `context.agent` is the client of no agent' },
        policy_coverage: { type: 'string' },
        would_deny: { type: 'string' },
        evaluation_id: { type: 'string', description: 'of a denial that an approval could change, as the next ones' },
        evaluated_at: isoTime,
        access_request: {
          type: 'object',
          description: 'how access is requested: AuthZEN Access Request and Approval Profile',
          required: ['endpoint', 'expires_at', 'binding_token'],
          properties: {
            endpoint: { type: 'string' },
            expires_at: isoTime,
            binding_token: { type: 'string' },
            display: { type: 'object' },
          },
        },
      },
    },
  },
};

const decisions: JsonSchema = {
  oneOf: [
    decision,
    {
      type: 'object',
      required: ['evaluations'],
      properties: { evaluations: { type: 'array', items: decision } },
    },
  ],
};

const recorded = {
  'x-event-id': 'the event that records this check; absent where `context.agent` is the client of no agent',
  'x-request-id': 'the one that was sent, otherwise a new one',
};

const undecided: RouteResponse = {
  description: 'not decided, or not durable in time: do not act. The check may be in doubt: see x-event-id',
  schema: {
    type: 'object',
    required: ['decision', 'context'],
    properties: { decision: { const: false }, context: { type: 'object' } },
  },
  headers: { 'x-event-id': 'if the event was sent and its result is not known', 'Retry-After': 'seconds to wait' },
};

const unavailable = {
  decision: false,
  context: { reason: 'the service is starting: do not act, try again in a moment', code: 'unavailable' },
} as const;

export const evaluationRoutes = {
  evaluation: route({
    service: 'gateway',
    method: 'POST',
    path: '/access/v1/evaluation',
    operationId: 'accessEvaluation',
    summary: 'POST /v1/check as the AuthZEN Authorization API 1.0 defines it (section 6)',
    tag: 'Checks',
    auth: 'api-key',
    rights: ['check'],
    headers: checkHeaders,
    body: evaluationBody,
    unavailable,
    echoesRequestId: true,
    success: 200,
    responses: {
      200: { description: 'the decision', schema: decision, headers: { ...recorded, ...replayHeader, ...traceHeader } },
      ...bodyErrors,
      401: error('no valid API key with this right'),
      404: error('no such agent, an inactive one, or the key is not valid for it'),
      503: undecided,
    },
  }),
  evaluations: route({
    service: 'gateway',
    method: 'POST',
    path: '/access/v1/evaluations',
    operationId: 'accessEvaluations',
    summary: 'Several evaluations in one request, each a check of its own (section 7)',
    tag: 'Checks',
    auth: 'api-key',
    rights: ['check'],
    headers: originHeaders,
    body: evaluationsBody,
    unavailable,
    echoesRequestId: true,
    success: 200,
    responses: {
      200: {
        description:
          'a decision for each evaluation that was made, in order; without `evaluations`, that of the request itself',
        schema: decisions,
        headers: recorded,
      },
      ...bodyErrors,
      401: error('no valid API key with this right'),
      404: error('without `evaluations`: no such agent, an inactive one, or the key is not valid for it'),
      503: undecided,
    },
  }),
};

/** Section 7. */
export type EvaluationsRequest = BodyOf<typeof evaluationRoutes.evaluations>;
