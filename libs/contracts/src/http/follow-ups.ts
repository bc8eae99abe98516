import { bodyErrors, error, instant, pageOf, paging, retryLater, sessionErrors, uuid, words } from './fragments.js';
import { nullable, object, openObject, type BodyOf, type JsonOf, type QueryOf } from './json-schema.js';
import { route } from './route.js';

/** Refused checks that one request follows up. */
export const MOST_FOLLOWED_UP = 100;

export const followUp = openObject({
  id: { ...uuid, description: 'id of the event `account.alert_followed_up`, whose `refersTo` is `eventId`' },
  eventId: { ...uuid, description: 'the refused check' },
  at: instant,
  by: object({ kind: { type: 'string' }, id: nullable({ type: 'string' }) }),
  note: nullable({ type: 'string', description: '`null`: it is erased' }),
});

/** A note of a person about a refused check. */
export type FollowUpRecord = JsonOf<typeof followUp>;

const of = { service: 'audit-log', tag: 'Alerts', auth: 'session' } as const;

/** Notes of people about refused checks. */
export const followUpRoutes = {
  followUp: route({
    ...of,
    method: 'POST',
    path: '/v1/alerts/follow-ups',
    operationId: 'followUpAlerts',
    summary: 'Record what was found and done about refused checks; the inbox stays as it is',
    role: 'member',
    body: {
      type: 'object',
      required: ['eventIds', 'note'],
      properties: {
        eventIds: {
          type: 'array',
          items: uuid,
          minItems: 1,
          maxItems: MOST_FOLLOWED_UP,
          description: 'refused checks of the account: each gets an event of its own, with the same note',
        },
        note: {
          ...words,
          description: 'committed with the event; it is content, and may be erased',
        },
      },
      additionalProperties: false,
    },
    success: 201,
    responses: {
      201: {
        description: 'recorded; the lists show it within a second',
        schema: object({ followUps: { type: 'array', items: followUp } }),
      },
      ...bodyErrors,
      ...sessionErrors,
      404: error('the account has no such event'),
      503: retryLater('not recorded, or in doubt: try again'),
    },
  }),
  listFollowUps: route({
    ...of,
    method: 'GET',
    path: '/v1/alerts/follow-ups',
    operationId: 'listFollowUps',
    summary: 'What was found and done about refused checks, newest first',
    query: { ...paging, eventId: { ...uuid, description: 'only those about this refused check' } },
    success: 200,
    responses: {
      200: { description: 'a page', schema: pageOf('followUps', followUp) },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
} as const;

export type FollowUpBody = BodyOf<typeof followUpRoutes.followUp>;
export type FollowUpsQuery = QueryOf<typeof followUpRoutes.listFollowUps>;
