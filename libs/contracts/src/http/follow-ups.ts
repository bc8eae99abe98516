import {
  bodyErrors,
  error,
  instant,
  paging,
  retryLater,
  sessionErrors,
  uuid,
  UUID_PATTERN,
  words,
} from './fragments.js';
import { nullable, object, openObject, type BodyOf, type JsonOf, type QueryOf } from './json-schema.js';
import { route } from './route.js';

/** Refused checks that one request follows up, or asks about. */
export const MOST_FOLLOWED_UP = 100;

/** Follow-ups of one refused check; further ones are refused. */
export const MOST_FOLLOW_UPS = 100;

const ONE_ID = UUID_PATTERN.slice(1, -1);

export const followUp = openObject({
  id: { ...uuid, description: 'id of the event `account.alert_followed_up`, whose `refersTo` is `eventId`' },
  eventId: { ...uuid, description: 'the refused check' },
  at: instant,
  by: object({ kind: { type: 'string' }, id: nullable({ type: 'string' }) }),
  note: nullable({ type: 'string', description: '`null`: it is erased' }),
});

/** A note of a person about a refused check. */
export type FollowUpRecord = JsonOf<typeof followUp>;

const followedUpCheck = openObject({
  eventId: uuid,
  count: { type: 'integer', minimum: 0, description: 'its follow-ups; 0: none yet' },
  latestAt: nullable(instant),
});

/** How often a check was followed up, and when at last. */
export type FollowedUpCheck = JsonOf<typeof followedUpCheck>;

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
      409: error(
        `one of the checks has ${MOST_FOLLOW_UPS} follow-ups already; those of the last second may not be counted yet`,
      ),
      503: retryLater('not recorded, or in doubt: try again'),
    },
  }),
  listFollowUps: route({
    ...of,
    method: 'GET',
    path: '/v1/alerts/follow-ups',
    operationId: 'listFollowUps',
    summary: 'What was found and done about refused checks, newest first',
    query: {
      ...paging,
      eventId: { ...uuid, description: 'only those about this refused check' },
      eventIds: {
        type: 'string',
        minLength: 36,
        maxLength: 37 * MOST_FOLLOWED_UP - 1,
        pattern: `^${ONE_ID}(,${ONE_ID}){0,${MOST_FOLLOWED_UP - 1}}$`,
        description: `only those about these refused checks: up to ${MOST_FOLLOWED_UP} ids with commas between them. The answer has \`checks\` then. Not together with \`eventId\``,
      },
    },
    success: 200,
    responses: {
      200: {
        description: 'a page; with `eventIds` it also has the number of follow-ups of each of these',
        schema: {
          type: 'object',
          required: ['followUps', 'total', 'limit', 'offset'],
          properties: {
            followUps: { type: 'array', items: followUp },
            total: { type: 'integer' },
            limit: { type: 'integer' },
            offset: { type: 'integer' },
            checks: {
              type: 'array',
              items: followedUpCheck,
              description: 'with `eventIds`: each of them once, in their order',
            },
          },
        },
      },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
} as const;

export type FollowUpBody = BodyOf<typeof followUpRoutes.followUp>;
export type FollowUpsQuery = QueryOf<typeof followUpRoutes.listFollowUps>;
