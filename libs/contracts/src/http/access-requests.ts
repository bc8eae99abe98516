import { bodyErrors, error, isoTime } from './fragments.js';
import { LOOK_UP } from './public-answers.js';
import { object, openObject, type BodyOf, type JsonOf, type JsonSchema } from './json-schema.js';
import { route } from './route.js';
import type { RouteResponse } from './route.js';

/*
 * AuthZEN Access Request and Approval Profile 1.0, draft 1: a denial that waits for an approval names an access request;
 * its task is that approval.
 */

/** Problem types of the profile (section "Error Responses"), by the last part of their URN. */
export const ACCESS_REQUEST_PROBLEMS = [
  'not_requestable',
  'expired_denial',
  'invalid_denial_binding',
  'duplicate_request',
  'unknown_task',
  'task_expired',
] as const;
export type AccessRequestProblem = (typeof ACCESS_REQUEST_PROBLEMS)[number];

const PROBLEM_URN = 'urn:openid:authzen:access-request:error:';
export const PROBLEM_TYPE = 'application/problem+json';

/** The `type` of a problem. */
export function accessRequestProblem(name: AccessRequestProblem): string {
  return PROBLEM_URN + name;
}

/** Id of a task: `arq_` and the UUID of its approval. */
const TASK_ID_PATTERN = '^arq_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

const text = { type: 'string' } as const;
const named = { type: 'string', minLength: 1 } as const;
const properties = { type: 'object' } as const;

const entity = {
  type: 'object',
  required: ['type', 'id'],
  properties: { type: named, id: named, properties },
} as const;
const action = { type: 'object', required: ['name'], properties: { name: named, properties } } as const;

const denial = {
  type: 'object',
  description: 'of the denied evaluation, unchanged',
  properties: {
    evaluation_id: { ...text, description: '`context.evaluation_id`' },
    evaluated_at: text,
    expires_at: { ...text, description: '`context.access_request.expires_at`' },
    reason: text,
    binding_token: { ...text, maxLength: 8192, description: '`context.access_request.binding_token`' },
    template: text,
  },
} as const;

const submission = {
  type: 'object',
  required: ['subject'],
  properties: {
    subject: { ...entity, description: 'as in the denied evaluation, as the next three' },
    resource: entity,
    action,
    context: { type: 'object', description: 'may have further members, such as a justification' },
    denial,
    items: { type: 'array', description: 'not taken: each denial is submitted on its own' },
    requested_access: {
      type: 'object',
      description: 'taken and not used: the rule says for how long an approval holds',
    },
    client: { type: 'object', description: 'taken and not used' },
    callback: { type: 'object', description: 'taken and not called: ask the task' },
  },
} as const;

const task = object({
  id: { ...text, pattern: TASK_ID_PATTERN },
  status: { type: 'string', enum: ['pending', 'approved', 'denied'] },
  status_endpoint: { ...text, description: 'address of the task' },
  expires_at: { ...isoTime, description: 'until then the task can be asked' },
  links: object({ review: { ...text, description: 'where a person decides, with a session' } }),
  display: object({ title: text, description: text }),
});
const approval = {
  type: 'object',
  required: ['id', 'approved_until'],
  properties: { id: text, approved_at: isoTime, approved_until: isoTime },
  additionalProperties: false,
} as const;
const taskAnswer = openObject({ task });
const result = object({ mode: { const: 'reevaluate' }, approval });
const withResult = { ...taskAnswer, properties: { task, result } } as const satisfies JsonSchema;

/** A task, with the approval once there is one. */
export type AccessTask = JsonOf<typeof taskAnswer> & { readonly result?: JsonOf<typeof result> };

const problem = (description: string): RouteResponse => ({
  description,
  contentType: PROBLEM_TYPE,
  schema: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail'],
    properties: { type: text, title: text, status: { type: 'integer' }, detail: text },
  },
});
const notNow = error('credentials or the store cannot be used at the moment');
const of = { service: 'policy', tag: 'Approvals' } as const;

export const accessRequestRoutes = {
  requestAccess: route({
    ...of,
    method: 'POST',
    path: '/access/v1/requests',
    operationId: 'requestAccess',
    summary: 'Requests access after a denial that waits for an approval (AuthZEN Access Request and Approval Profile)',
    auth: 'api-key',
    rights: ['check'],
    headers: { 'idempotency-key': { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' } },
    body: submission,
    success: 202,
    responses: {
      201: { description: 'it was decided already', schema: withResult, headers: { Location: 'address of the task' } },
      202: { description: 'it waits for a person', schema: withResult, headers: { Location: 'address of the task' } },
      ...bodyErrors,
      400: {
        ...problem('`not_requestable`, `invalid_denial_binding`; or the body is malformed, as `{error}`'),
        alsoAs: ['application/json'],
      },
      401: error('no valid API key with this right'),
      409: problem('`duplicate_request`: the Idempotency-Key was sent with another body'),
      410: problem('`expired_denial`: ask for the evaluation again'),
      503: notNow,
    },
  }),
  getAccessTask: route({
    ...of,
    method: 'GET',
    path: '/access/v1/requests/{taskId}',
    operationId: 'getAccessTask',
    summary: 'State of an access request',
    auth: 'api-key',
    rights: ['check'],
    params: { taskId: { type: 'string', maxLength: 200, examples: ['arq_3f0e7a52-41bd-4c0f-9d52-0c8a5a1f7b21'] } },
    success: 200,
    responses: {
      200: {
        description: 'the task; with `result` once it is approved',
        schema: withResult,
        headers: { 'Retry-After': 'of one that waits: seconds to wait' },
      },
      400: bodyErrors[400],
      401: error('no valid API key with this right'),
      404: problem('`unknown_task`'),
      410: problem('`task_expired`: its time is over'),
      503: notNow,
    },
  }),
  accessKeys: route({
    ...of,
    method: 'GET',
    path: '/access/v1/jwks',
    operationId: 'getAccessKeys',
    summary: 'Key that verifies the binding tokens of denials, as a JWK Set (RFC 7517)',
    auth: 'none',
    perAddress: LOOK_UP,
    success: 200,
    responses: {
      200: {
        description: 'the key',
        schema: object({ keys: { type: 'array', items: { type: 'object' } } }),
        headers: { 'Cache-Control': 'an hour' },
      },
    },
  }),
} as const;

export type AccessSubmission = BodyOf<typeof accessRequestRoutes.requestAccess>;
