import { auditLogRoutes } from './audit-log.js';
import { bodyErrors, error, sessionErrors } from './fragments.js';
import type { EventRecord } from './event-record.js';
import type { QueryOf } from './json-schema.js';
import { route } from './route.js';

const { agentId, type, outcome, allowed, violation_type, rule } = auditLogRoutes.listEvents.query;

export const eventStreamRoutes = {
  streamEvents: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/events/stream',
    operationId: 'streamEvents',
    summary: 'Events of the account as they are stored, as server-sent events',
    tag: 'Events',
    auth: 'session',
    query: {
      ...{ agentId, type, outcome, allowed, violation_type, rule },
      seconds: {
        type: 'integer',
        minimum: 1,
        maximum: 86_400,
        description: 'ends the stream after this time; absent: it ends with the session',
      },
    },
    headers: {
      'last-event-id': {
        type: 'string',
        maxLength: 4000,
        description: 'the `id` that came last: the stream continues there',
      },
    },
    success: 200,
    responses: {
      200: {
        description:
          '`hello`, then `events` (at most four times a second, each with at most 100 records and the number of those that were `skipped`), `anchored`, `inbox`, and `bye` with a reason before its end; a comment every 15 s',
        contentType: 'text/event-stream',
        // Readers of the document take it for the schema of each message: a message has the members of its event's name.
        schema: {},
      },
      400: bodyErrors[400],
      ...sessionErrors,
      503: error('the archive cannot be read, or too many streams are open'),
    },
  }),
} as const;

export type EventStreamQuery = QueryOf<typeof eventStreamRoutes.streamEvents>;

/** Data of the messages of `GET /v1/events/stream`, by their names. */
export interface LiveMessages {
  /** `resumed`: the stream continues after the id that was sent; otherwise it begins now, and a list has to be read again. */
  readonly hello: { readonly asOf: string; readonly resumed: boolean };
  /** In the order of their arrival, the newest of those since the last message. */
  readonly events: { readonly events: readonly EventRecord[]; readonly skipped: number };
  /** Events of these agents are anchored up to these sequences. */
  readonly anchored: { readonly agents: readonly { readonly agentId: string; readonly through: number }[] };
  /** The number of open alerts has changed. */
  readonly inbox: { readonly openCount: number };
  readonly bye: { readonly reason: string };
}
