import { approvalMessageSchema, testMessageSchema, violationMessageSchema } from '../alerts.js';
import type { JsonSchema } from '../json-schema.js';
import type { Route } from '../route.js';

const MESSAGES: Readonly<Record<string, { readonly summary: string; readonly body: JsonSchema }>> = {
  'violation.blocked': {
    summary: 'An agent was denied an action, or registered by a key: to a destination of alerts',
    body: violationMessageSchema,
  },
  'approval.requested': {
    summary: 'An action waits for the decision of a person: to a destination of alerts',
    body: approvalMessageSchema,
  },
  'alert.test': {
    summary: 'A person tests a destination of alerts: nothing happened',
    body: testMessageSchema,
  },
};

/** Names and signature of a message (Standard Webhooks 1.0.0). */
const HEADERS = {
  'webhook-id': 'the same for every attempt',
  'webhook-timestamp': 'of the attempt, in seconds since 1970',
  'webhook-signature': 'HMAC-SHA256 with the secret that the destination was created with',
};

/** Messages that are sent to an account's own addresses (OpenAPI 3.1.0, section 4.8.1), if it can register any by the routes. */
export function webhooksOf(routes: readonly Pick<Route, 'operationId'>[]): { readonly webhooks?: object } {
  if (!routes.some(({ operationId }) => operationId === 'putAlertConfig')) return {};
  const parameters = Object.entries(HEADERS).map(([name, description]) => ({
    ...{ name, in: 'header', required: true, description },
    schema: { type: 'string' },
  }));
  const responses = { '2XX': { description: 'Delivered. Any other answer, or none within 10 s, is tried again.' } };
  const webhooks = Object.entries(MESSAGES).map(([name, { summary, body }]) => {
    const requestBody = { required: true, content: { 'application/json': { schema: body } } };
    return [
      name,
      { post: { operationId: name, summary, tags: ['Alerts'], parameters, requestBody, responses } },
    ] as const;
  });
  return { webhooks: Object.fromEntries(webhooks) };
}
