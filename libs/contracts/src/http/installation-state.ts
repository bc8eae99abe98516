import { error, instant, retryLater, sessionErrors } from './fragments.js';
import { nullable, openObject, type JsonOf } from './json-schema.js';
import { route } from './route.js';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const seconds = { type: 'number', minimum: 0 } as const;

const serviceState = openObject({
  name: { type: 'string', description: 'of a service; of a configured address where it does not answer' },
  state: {
    enum: ['ready', 'waiting', 'unknown'],
    description: '`unknown`: it was not answered, which is not readiness',
  },
  waitingFor: { type: 'array', items: text, description: 'as `/readyz` names it; empty unless `waiting`' },
  problem: { type: ['string', 'null'], description: 'why it, or its figures, could not be read; `null`: both were' },
});

const installationState = openObject({
  asOf: instant,
  services: { type: 'array', items: serviceState },
  consumerLag: {
    type: 'array',
    items: openObject({ service: text, messages: count }),
    description: 'messages that a service has not handled yet, of all its partitions',
  },
  eventLoop: {
    type: 'array',
    items: openObject({ process: text, thread: text, p50Seconds: seconds, p99Seconds: seconds }),
    description: 'delay of the event loop since it was last read',
  },
  chainReachable: { type: ['boolean', 'null'], description: '`null`: no process that asks the chain answered' },
  windowsWaiting: { type: ['integer', 'null'], description: 'windows that are cut and not anchored' },
  lastWindowAgeSeconds: { type: ['number', 'null'], description: 'since the end of the last anchored window' },
  alerts: nullable(openObject({ waiting: count, oldestDueSeconds: seconds })),
  checks: nullable(
    openObject({
      count: { ...count, description: 'since the processes started' },
      p50Seconds: nullable(seconds),
      p95Seconds: nullable(seconds),
      p99Seconds: nullable(seconds),
    }),
  ),
});

/** State of the services of an installation; answer of `GET /v1/operations`. Figures are `null` where none were read. */
export type InstallationState = JsonOf<typeof installationState>;

export const installationRoutes = {
  installationState: route({
    service: 'console',
    method: 'GET',
    path: '/v1/operations',
    operationId: 'getInstallationState',
    summary: 'State of the services of this installation, for admins',
    tag: 'Operations',
    auth: 'session',
    role: 'admin',
    success: 200,
    responses: {
      200: { description: 'the state', schema: installationState },
      ...sessionErrors,
      404: error('it is off here: see `COUNTERSIGN_CONSOLE_OPERATIONS`'),
      503: retryLater('the session cannot be checked at the moment'),
    },
  }),
} as const;
