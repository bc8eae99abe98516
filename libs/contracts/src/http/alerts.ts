import { APPROVAL_ID_PATTERN } from '../approvals.js';
import { SEVERITIES, VIOLATION_TYPES } from '../leaf.js';
import { bodyErrors, error, instant, notRecorded, pageOf, paging, sessionErrors, uuid } from './fragments.js';
import { nullable, openObject, type BodyOf, type JsonOf, type JsonSchema } from './json-schema.js';
import { route } from './route.js';

export const DESTINATION_KINDS = ['email', 'webhook'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** `webhook-id` of a message: `msg_` and 160 bits in hex. */
export const DELIVERY_ID_PATTERN = '^msg_[0-9a-f]{40}$';

/** The most attempts of one message, those that were asked for by hand among them. */
export const MOST_ATTEMPTS = 40;

const severity = { type: 'string', enum: SEVERITIES } as const;
const kind = { type: 'string', enum: DESTINATION_KINDS } as const;
const status = { type: ['integer', 'null'] } as const;

const entry = {
  id: uuid,
  kind,
  destination: { type: 'string' },
  minSeverity: severity,
  enabled: { type: 'boolean' },
  createdAt: instant,
  disabledAt: nullable(instant),
  disabledReason: { type: ['string', 'null'] },
} as const;

const alertConfig = openObject(entry);

/** A destination as the routes show it; its secret is shown once, when it is created. */
export type AlertConfigRecord = JsonOf<typeof alertConfig>;

const newAlertConfig: JsonSchema = {
  type: 'object',
  required: Object.keys(entry),
  properties: {
    ...entry,
    secret: { type: 'string', description: 'signs the messages of a webhook, `whsec_…`; shown only here' },
  },
};

const attempt = openObject({ at: instant, status, error: { type: ['string', 'null'] } });

/** One attempt to deliver a message; `error` is `null` if it was delivered. The answer's body is never kept. */
export type DeliveryAttempt = JsonOf<typeof attempt>;

const delivery = openObject({
  id: { type: 'string', description: 'the `webhook-id` of every attempt' },
  type: { type: 'string' },
  state: { type: 'string', enum: DELIVERY_STATES },
  createdAt: instant,
  count: { type: 'integer', minimum: 0 },
  nextAttemptAt: nullable(instant),
  attempts: { type: 'array', items: attempt },
});

/** A message in the delivery log of its destination. */
export type DeliveryRecord = JsonOf<typeof delivery>;

/** Body of a webhook message, signed according to Standard Webhooks. */
export const violationMessageSchema: JsonSchema = openObject({
  type: { enum: ['violation.blocked', 'agent.registered_by_key'] },
  timestamp: instant,
  data: openObject({
    eventId: uuid,
    agentId: uuid,
    severity,
    violation_type: {
      type: ['string', 'null'],
      description: `one of ${VIOLATION_TYPES.join(', ')}; a later release may add others`,
    },
    reason: { type: ['string', 'null'] },
    count: {
      type: 'integer',
      minimum: 1,
      description: 'events of the agent and violation type that the message summarizes',
    },
  }),
});

/** Body of the webhook message `approval.requested`, signed likewise. */
export const approvalMessageSchema: JsonSchema = openObject({
  type: { const: 'approval.requested' },
  timestamp: instant,
  data: openObject({
    approvalId: { type: 'string', pattern: APPROVAL_ID_PATTERN },
    eventId: { ...uuid, description: 'the check that was denied for want of it' },
    agentId: uuid,
    rule: { type: 'string' },
    expiresAt: nullable(instant),
    url: { type: 'string', description: 'the page on which a person decides; it needs a session' },
    reason: { type: ['string', 'null'] },
    count: {
      type: 'integer',
      minimum: 1,
      description: 'approvals of the agent and rule that the message summarizes; the newest is named',
    },
  }),
});

/** Body of the webhook message `alert.test`, signed likewise. */
export const testMessageSchema: JsonSchema = openObject({
  type: { const: 'alert.test' },
  timestamp: instant,
  data: openObject({
    eventId: { const: null },
    agentId: { const: null },
    severity,
    violation_type: { const: null },
    reason: { type: 'string' },
    count: { const: 0 },
  }),
});

const notFound = error('the account has no such destination');
const params = { id: uuid };
const address = {
  type: 'string',
  minLength: 3,
  maxLength: 2048,
  description: 'an e-mail address, or an https URL that is publicly reachable',
} as const;
const tooMany = {
  ...error('the account has sent ten messages within a minute, as a test or again'),
  headers: { 'Retry-After': 'seconds until it may send another' },
} as const;
/** Answers to a request for a test message. */
const tested = {
  200: {
    description:
      'whether the receiver accepted it, and the status of the HTTP or SMTP answer, `null` if there was none',
    schema: {
      type: 'object',
      required: ['delivered', 'status'],
      properties: { delivered: { type: 'boolean' }, status },
    },
  },
  429: tooMany,
} as const;
const of = { service: 'alerts', tag: 'Alerts', auth: 'session' } as const;

/** Routes of alerts. */
export const alertsRoutes = {
  listAlertConfigs: route({
    ...of,
    method: 'GET',
    path: '/v1/alert-configs',
    operationId: 'listAlertConfigs',
    summary: 'Destinations of violation messages, oldest first',
    success: 200,
    responses: {
      200: {
        description: 'every destination of the account',
        schema: {
          type: 'object',
          required: ['alertConfigs'],
          properties: { alertConfigs: { type: 'array', items: alertConfig } },
        },
      },
      ...sessionErrors,
    },
  }),
  putAlertConfig: route({
    ...of,
    method: 'POST',
    path: '/v1/alert-configs',
    operationId: 'putAlertConfig',
    summary: 'Create a destination, or change one with `id`',
    role: 'member',
    body: {
      type: 'object',
      description: 'without `id`, kind and destination are required; with it, fields that are not named stay unchanged',
      properties: {
        id: uuid,
        kind,
        destination: address,
        minSeverity: severity,
        enabled: { type: 'boolean' },
      },
      additionalProperties: false,
    },
    success: 200,
    responses: {
      200: { description: 'changed', schema: alertConfig },
      201: { description: 'created', schema: newAlertConfig },
      ...bodyErrors,
      ...sessionErrors,
      ...notRecorded,
      404: notFound,
      409: error(
        'the account has the maximum number of destinations, or another request has just changed the destination',
      ),
    },
  }),
  deleteAlertConfig: route({
    ...of,
    method: 'DELETE',
    path: '/v1/alert-configs/{id}',
    operationId: 'deleteAlertConfig',
    summary: 'Remove a destination with its delivery log; pending messages are not sent',
    role: 'member',
    params,
    success: 204,
    responses: {
      204: { description: 'removed' },
      400: bodyErrors[400],
      ...sessionErrors,
      ...notRecorded,
      404: notFound,
    },
  }),
  testAlertConfig: route({
    ...of,
    method: 'POST',
    path: '/v1/alert-configs/{id}/test',
    operationId: 'testAlertConfig',
    summary: 'Deliver a test message once, also to a disabled destination',
    role: 'member',
    params,
    success: 200,
    responses: { ...tested, 400: bodyErrors[400], ...sessionErrors, ...notRecorded, 404: notFound },
  }),
  testNewAlertConfig: route({
    ...of,
    method: 'POST',
    path: '/v1/alert-configs/test',
    operationId: 'testNewAlertConfig',
    summary: 'Deliver a test message once to an address that is not stored',
    role: 'member',
    body: {
      type: 'object',
      required: ['kind', 'destination'],
      properties: { kind, destination: address },
      additionalProperties: false,
    },
    success: 200,
    responses: { ...tested, ...bodyErrors, ...sessionErrors, ...notRecorded },
  }),
  retryDelivery: route({
    ...of,
    method: 'POST',
    path: '/v1/alert-configs/{id}/deliveries/{deliveryId}/retry',
    operationId: 'retryAlertDelivery',
    summary: 'Send a message of the delivery log again, with the same id',
    role: 'member',
    params: { id: uuid, deliveryId: { type: 'string', pattern: DELIVERY_ID_PATTERN } },
    success: 202,
    responses: {
      202: { description: 'the message, which is due now', schema: delivery },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('the account has no such destination, or the destination no such message'),
      409: error(
        `the destination is turned off, the message is from before the last change of the address or is being sent at this moment, or it has had ${MOST_ATTEMPTS} attempts`,
      ),
      429: tooMany,
    },
  }),
  listDeliveries: route({
    ...of,
    method: 'GET',
    path: '/v1/alert-configs/{id}/deliveries',
    operationId: 'listAlertDeliveries',
    summary: 'Delivery log of a destination, newest first; kept for 30 days',
    params,
    query: paging,
    success: 200,
    responses: {
      200: { description: 'a page of messages with their attempts', schema: pageOf('deliveries', delivery) },
      400: bodyErrors[400],
      ...sessionErrors,
      404: notFound,
    },
  }),
} as const;

/** With `id` an update, which leaves fields that it does not name unchanged. */
export type AlertConfigBody = BodyOf<typeof alertsRoutes.putAlertConfig>;

/** An address that is tried before it is stored. */
export type AlertTestBody = BodyOf<typeof alertsRoutes.testNewAlertConfig>;
