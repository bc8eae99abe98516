import { originHeaders } from './check.js';
import { error } from './fragments.js';
import { AGENT_HEADER } from './hooks.js';
import { openObject } from './json-schema.js';
import { REASON, route } from './route.js';

const recorded = { 'x-event-id': 'the event of the check that decided; absent if nothing was recorded' };
const text = { type: 'string' } as const;

/** Path below which Envoy asks for the requests of its clients. */
export const EXT_AUTHZ_PATH = '/v1/ext-authz';

export const gatewayHookRoutes = {
  guardrail: route({
    service: 'gateway',
    method: 'POST',
    path: '/beta/litellm_basic_guardrail_api',
    operationId: 'litellmGuardrail',
    summary: 'LiteLLM’s generic guardrail: checks prompts, responses and the tool calls in them',
    tag: 'Hooks',
    auth: 'api-key',
    rights: ['check'],
    headers: {
      [AGENT_HEADER]: { ...text, description: 'id of the agent, for requests without a key alias' },
      ...originHeaders,
    },
    body: {},
    bodyForm: 'raw',
    shownBody: openObject({ input_type: { type: 'string', enum: ['request', 'response'] } }),
    refusedAs: { status: 200, body: { action: 'BLOCKED', blocked_reason: REASON } },
    success: 200,
    responses: {
      200: {
        description: '`NONE` lets it pass, `BLOCKED` denies; what is not decided is blocked as well',
        schema: {
          type: 'object',
          required: ['action'],
          properties: { action: { type: 'string', enum: ['NONE', 'BLOCKED'] }, blocked_reason: text },
          additionalProperties: false,
        },
        headers: recorded,
      },
      408: error('the body came slower than 1 KiB a second'),
    },
  }),
  /** Not in the OpenAPI document, which cannot describe the paths below a path. */
  extAuthz: route({
    service: 'gateway',
    method: 'POST',
    path: EXT_AUTHZ_PATH,
    withPathsBelow: true,
    operationId: 'extAuthz',
    summary: 'External authorization of Envoy over HTTP: checks the request of a client as an http_call',
    tag: 'Hooks',
    auth: 'api-key',
    rights: ['check'],
    headers: originHeaders,
    refusedAs: { status: 403, body: { allowed: false, reason: REASON } },
    success: 200,
    responses: {
      200: { description: 'allowed', headers: recorded },
      403: { description: 'denied, or not decided', schema: { type: 'object' }, headers: recorded },
    },
  }),
};
