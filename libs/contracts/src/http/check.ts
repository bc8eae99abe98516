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
    url: { type: 'string', description: 'what is called, as a full http or https URL' },
    payload: {
      description:
        'any JSON value, of a `tool_use` the arguments of the tool: addresses in them are judged as `url` is. Committed, and kept only with the profile’s store_payload',
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

/** What a check is answered with 200. */
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
  'x-policy-coverage': '`governed` or `none`: whether any rule of the profile spoke of this kind of action',
};

/** Of an allowed check. */
const observed = {
  'x-would-deny':
    'in observe mode, the violation of the rule that would have denied: `<violation_type>; rule=<rule, percent-encoded>`; absent elsewhere',
};

/** Of an answer that may be that of an earlier check. */
export const replayHeader = {
  'x-idempotent-replay':
    '`true` where an earlier check with the same Idempotency-Key was given this answer, with this event; absent elsewhere',
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
    headers: { ...recorded, ...observed, ...replayHeader },
  },
  ...bodyErrors,
  400: { description: 'malformed; or the Idempotency-Key was used with another body', schema: errorSchema },
  401: error('no API key that is in force and may do this'),
  402: refusal('the sandbox has expired or is at its action cap', recorded),
  403: refusal('the agent is frozen', recorded),
  404: error('no such agent, it is inactive, or the key is not for it'),
  408: error('the body did not come before the deadline, or slower than 1 KiB a second: nothing was judged'),
  429: refusal('the plan is at its action cap', { ...recorded, 'Retry-After': 'seconds until the next period' }),
  503: refusal('not decided, or not durable in time: do not act. The event may have landed: see x-event-id', {
    'x-event-id': 'when the event was sent and its fate is unknown',
    'Retry-After': 'seconds to wait',
  }),
};

/** Of whatever checks one action. */
export const checkHeaders: Readonly<Record<string, JsonSchema>> = {
  'idempotency-key': {
    type: 'string',
    pattern: '^[\\x21-\\x7e]{1,255}$',
    description:
      'makes a retry safe: the same key with the same body gives the same answer and counts once. An answer that allows is repeated for 10 minutes, while the agent has the same profile and is not frozen; after that, or once either changed, the check is judged as a new one, with an event of its own. A denial is repeated for 24 hours; other answers than 200 are not repeated. With another body 400, for 24 hours; bodies are compared in canonical form (RFC 8785), so the letter case of agentId is part of the body. An account has at most 100,000 keys remembered at a time, unless the operator set another bound: a new one then takes the place of the oldest answered one, whose repetition is a new check',
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
    headers: checkHeaders,
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
    summary: 'What POST /v1/check does, beside the other helpers of the tool protocol',
    tag: 'Tool protocol',
    auth: 'api-key',
    rights: ['check'],
    headers: checkHeaders,
    body: checkBody,
    unavailable,
    success: 200,
    responses,
  }),
};
