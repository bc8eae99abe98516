import { VIOLATION_TYPES } from '../leaf.js';
import { bodyErrors, error, sessionErrors, sha256Hex, uuid } from './fragments.js';
import { explanation } from './explanation.js';
import { nullable, object, type JsonOf } from './json-schema.js';
import { route } from './route.js';

const text = { type: ['string', 'null'] } as const;

const eventExplanation = object({
  eventId: uuid,
  agentId: uuid,
  profileVersion: { type: ['integer', 'null'] },
  profileSha256: nullable(sha256Hex),
  mode: { ...nullable({ type: 'string', enum: ['enforce', 'observe'] }), description: 'of the profile of then' },
  recorded: {
    ...object({
      outcome: text,
      allowed: { type: ['boolean', 'null'] },
      reason: text,
      severity: text,
      violation_type: { type: ['string', 'null'], description: `one of ${VIOLATION_TYPES.join(', ')}, or a later one` },
      rule: text,
      detail: text,
    }),
    description: 'the decision as it is hashed in the leaf; spending and rate are always as recorded',
  },
  rules: explanation.properties.rules,
  notEvaluated: {
    ...nullable(
      object({
        reason: {
          type: 'string',
          enum: ['erased', 'payload_not_kept', 'profile_unknown', 'not_judged'],
          description:
            'the content is erased; the payload was not stored; no stored profile has the hash of the leaf; the check was refused before its rules',
        },
        rules: {
          type: 'array',
          items: { type: 'string' },
          description: 'names of the rules that are left out of `rules`; empty: every rule is left out',
        },
      }),
    ),
    description: '`null`: every rule was evaluated',
  },
  redecided: {
    ...object({
      verdict: { type: 'string', enum: ['same', 'different', 'withheld', 'erased', 'not_checked'] },
      reason: {
        ...nullable({
          type: 'string',
          enum: [
            'version',
            'context',
            'action',
            'profile',
            'payload',
            'rule',
            'no_room',
            'engine',
            'verdict',
            'size',
            'unreadable',
          ],
        }),
        description:
          '`size`: an action that is too long to be judged in an answer; `unreadable`: its record is not read by this version; the others as in a package',
      },
      differences: {
        type: 'array',
        items: object({ member: { type: 'string' }, recorded: {}, recomputed: {} }),
        description: 'members of the leaf or of its context that do not follow from what the check saw',
      },
    }),
    description: 'the verdict computed again, with the balances that the check saw, as in the re-decision of a package',
  },
});

/** Answer of `GET /v1/events/{eventId}/explanation`. */
export type EventExplanation = JsonOf<typeof eventExplanation>;

export const eventExplanationRoutes = {
  explainEvent: route({
    service: 'policy',
    method: 'GET',
    path: '/v1/events/{eventId}/explanation',
    operationId: 'explainEvent',
    summary: 'The result of every rule for a recorded check, under the profile of then',
    tag: 'Events',
    auth: 'session',
    params: { eventId: uuid },
    success: 200,
    responses: {
      200: { description: 'the trace of every rule', schema: eventExplanation },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('the account has no such check'),
      503: error('the archive cannot be read now'),
    },
  }),
} as const;
