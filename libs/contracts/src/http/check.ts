import type { JsonValue } from '../leaf.js';
import { allowedDecision, denialMembers } from './decision.js';
import { bodyErrors, error, errorSchema, uuid } from './fragments.js';
import type { JsonOf, JsonSchema } from './json-schema.js';
import { route } from './route.js';
import type { RouteResponse } from './route.js';

const action = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { type: 'string', minLength: 1, examples: ['http_call', 'llm_response', 'data_access', 'tool_use'] },
    url: { type: 'string', description: 'the address that is called, as a full http or https URL' },
    payload: {
      description:
        'any JSON value; of a `tool_use`, the arguments of the tool: addresses in them are judged as `url` is. Committed, and stored only with the profile’s store_payload',
    },
    metadata: { type: 'object' },
    dataScope: { type: 'string', minLength: 1 },
    estimatedCost: { type: 'number', minimum: 0, description: 'US dollars' },
    tool_name: { type: 'string' },
    toolName: { type: 'string' },
  },
} as const;

export const checkBody = {
  type: 'object',
  required: ['agentId', 'action'],
  properties: { agentId: uuid, action },
  additionalProperties: false,
} as const;

/** An agent's action as received. Further members are the caller's own. */
export type CheckAction = JsonOf<typeof action> & { readonly [member: string]: JsonValue | undefined };

/** Body of `POST /v1/check`. `agentId` is a UUID in either case. */
export type CheckRequest = JsonOf<typeof checkBody> & { readonly action: CheckAction };

const text: JsonSchema = { type: 'string' };

const refusalBody: JsonSchema = {
  type: 'object',
  properties: {
    allowed: { type: 'boolean' },
    reason: { type: ['string', 'null'] },
    severity: text,
    violation_type: text,
    detail: text,
    error: text,
    code: text,
    message: text,
    upgrade_url: text,
    rule: text,
    category: text,
    pii_kind: text,
    matched_topic: text,
    length: { type: 'number' },
  },
  additionalProperties: false,
};

/** Body of a check's 200. */
export const decision: JsonSchema = {
  oneOf: [
    allowedDecision,
    {
      type: 'object',
      required: ['allowed', 'reason', 'severity'],
      properties: {
        allowed: { const: false },
        ...denialMembers,
      },
    },
  ],
};

const recorded = {
  'x-event-id': 'the event that records this check',
  'x-policy-coverage': '`governed` or `none`: whether any rule of the profile applies to this kind of action',
};

/** Header of an allowed check. */
const observed = {
  'x-would-deny':
    'in observe mode, the violation of the rule that would have denied: `<violation_type>; rule=<rule, percent-encoded>`; otherwise absent',
};

/** Header of the answer to a recorded check that was sent with a trace. Refusals that record nothing do not have it. */
export const traceHeader = {
  traceparent:
    "the request's, if it could be read: events of this trace are found by `GET /v1/events?trace=`. The event of a repeated answer has the trace of the request that was judged",
};

/** Header of an answer that may be that of an earlier check. */
export const replayHeader = {
  'x-idempotent-replay':
    '`true` if this is the answer, with the event, of an earlier check with the same Idempotency-Key; otherwise absent',
};

const refusal = (description: string, headers: Readonly<Record<string, string>>): RouteResponse => ({
  description,
  schema: refusalBody,
  headers,
});

const responses: Readonly<Record<number, RouteResponse>> = {
  200: {
    description: 'the decision; a denial is 200 as well',
    schema: decision,
    headers: {
      ...recorded,
      ...observed,
      ...replayHeader,
      ...traceHeader,
      'Retry-After':
        'seconds until the next retry, while the action waits for an approval or is deferred; otherwise absent',
    },
  },
  ...bodyErrors,
  400: { description: 'malformed; or the Idempotency-Key was used with another body', schema: errorSchema },
  401: error(
    'no valid API key with this right; or X-Subject-Token is not valid for this check, or an issuer that the account trusts requires one; or the signature of the request is not valid, or the agent requires one',
  ),
  402: refusal('the sandbox has expired or has reached its action cap', { ...recorded, ...traceHeader }),
  403: refusal('the agent is frozen', { ...recorded, ...traceHeader }),
  404: error('no such agent, an inactive one, or the key is not valid for it'),
  408: error('the body did not arrive before the deadline, or slower than 1 KiB a second: nothing was decided'),
  429: refusal('the plan has reached its action cap', {
    ...recorded,
    ...traceHeader,
    'Retry-After': 'seconds until the next period',
  }),
  503: refusal('not decided, or not durable in time: do not act. The check may be in doubt: see x-event-id', {
    'x-event-id': 'if the event was sent and its result is not known',
    'Retry-After': 'seconds to wait',
  }),
};

/** Headers of a signed check (RFC 9421): those of an agent with signing keys are verified. */
const signatureHeaders: Readonly<Record<string, JsonSchema>> = {
  'signature-input': {
    type: 'string',
    maxLength: 1024,
    description:
      'one signature: `sig1=("@method" "@path" "content-digest");created=…;nonce="…";keyid="…"`. It has to cover `@query` where there is one, and each of `idempotency-key`, `x-approval-id`, `x-subject-token-digest`, `x-countersign-agent`, `x-countersign-principal` and `x-countersign-session` that is sent. Further it may cover `@authority`, `content-type`, `content-length`, `date` and `traceparent`, and nothing else, since the signed text is recorded. `created` is at most 60 seconds from the time of the service, and a nonce is used once; with an Idempotency-Key it may be sent again. `PUT /v1/agents/{id}/signature-requirement` requires a signature',
  },
  'x-subject-token-digest': {
    type: 'string',
    maxLength: 1024,
    description:
      '`sha-256=:…:`, the SHA-256 of `x-subject-token` in base64: required, and covered, where a signed check sends that token, which itself is never covered',
  },
  signature: { type: 'string', maxLength: 1024, description: 'its Ed25519 signature: `sig1=:…:`, 64 bytes in base64' },
  'content-digest': {
    type: 'string',
    maxLength: 1024,
    description: 'of the body (RFC 9530): `sha-256=:…:` or `sha-512=:…:`',
  },
};

/** Headers of every route that checks actions: to whom and what they belong. */
export const originHeaders: Readonly<Record<string, JsonSchema>> = {
  'x-countersign-session': {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    description:
      'the conversation or run that the check belongs to; otherwise `action.metadata.session`. Rules read it, facts are held by it, and it is committed with the verdict',
  },
  'x-countersign-principal': {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    description: 'on whose behalf the agent acts; otherwise `action.metadata.principal`. Read and committed likewise',
  },
  'x-subject-token': {
    type: 'string',
    maxLength: 8192,
    description:
      'an access token (RFC 9068) of an issuer that the account trusts (`POST /v1/trusted-issuers`): it says on whose behalf the agent acts, and through which actors (`act` of RFC 8693, at most 5). Principal, issuer and actors are committed with the verdict, and rules read them. One that is not valid is 401, with the reason. `x-countersign-principal` is not sent with it',
  },
  'x-approval-id': {
    type: 'string',
    maxLength: 64,
    description:
      'the `approval_id` of an earlier denial. It is not needed: an approval is found by the action. With it, a retry of another action is denied as `out_of_scope`, and one whose approval is over as `approval_expired` or `approval_consumed`, instead of asking for a new approval. An id that is unknown is ignored',
  },
  traceparent: {
    type: 'string',
    description:
      'W3C Trace Context; committed with the verdict, and repeated in the answer to a check that is recorded. One that cannot be read is ignored',
  },
};

/** Headers of every route that checks one action. */
export const checkHeaders: Readonly<Record<string, JsonSchema>> = {
  'idempotency-key': {
    type: 'string',
    pattern: '^[\\x21-\\x7e]{1,255}$',
    description:
      'makes a retry safe: the same key with the same body gets the same answer and counts once. An answer that allows is repeated for 10 minutes, while the agent has the same profile and is not frozen; after that, or after either changes, the check is decided again, with an event of its own. A denial is repeated for 24 hours; answers other than 200 are not repeated. A different body gets 400 for 24 hours; bodies are compared in canonical form (RFC 8785), so the letter case of agentId matters; principal and session in headers belong to the body. At most 100,000 keys of an account are stored at a time, unless the operator sets another limit: a new key then replaces the oldest answered one, and a repetition of that one is a new check',
  },
  ...originHeaders,
};

const mcpCheckHeaders: Readonly<Record<string, JsonSchema>> = {
  ...checkHeaders,
  traceparent: {
    type: 'string',
    description:
      'as of `POST /v1/check`. An action may carry the `_meta` of the tool call that it was made of: its `traceparent` (MCP, SEP-414) replaces this header, unless it cannot be read. It is committed in the context; it and a `progressToken` are left out of the action',
  },
};

const unavailable = {
  allowed: false,
  reason: 'the service is starting: do not act, try again in a moment',
  severity: 'P1',
  code: 'unavailable',
} as const;

export const checkRoutes = {
  check: route({
    service: 'gateway',
    method: 'POST',
    path: '/v1/check',
    operationId: 'checkAction',
    summary: 'Asks whether an action is allowed, before it is executed; records the decision',
    tag: 'Checks',
    auth: 'api-key',
    rights: ['check'],
    headers: { ...checkHeaders, ...signatureHeaders },
    body: checkBody,
    unavailable,
    success: 200,
    responses,
  }),
  mcpCheck: route({
    service: 'gateway',
    method: 'POST',
    path: '/v1/mcp/check',
    operationId: 'mcpCheck',
    summary: 'Same as POST /v1/check, under the path of the tool protocol',
    tag: 'Tool protocol',
    auth: 'api-key',
    rights: ['check'],
    headers: { ...mcpCheckHeaders, ...signatureHeaders },
    body: checkBody,
    unavailable,
    success: 200,
    responses,
  }),
};
