import type { InclusionProof } from '../package.js';
import type { LeafEvent, Openings } from '../leaf.js';
import type { PolicyCoverage } from '../envelope.js';
import { bodyErrors, error, instant, sessionErrors, sha256Hex, uuid } from './fragments.js';
import { eventRecord, type EventRecord } from './event-record.js';
import { followUp, type FollowUpRecord } from './follow-ups.js';
import { nullable, openObject, type JsonOf } from './json-schema.js';
import { route } from './route.js';

/** Members of an anchored window, whichever agents it holds. */
export const windowFacts = {
  windowStart: instant,
  windowEnd: instant,
  merkleRoot: sha256Hex,
  txSignature: { type: 'string' },
  blockHeight: { type: 'integer' },
  anchoredAt: instant,
} as const;

const eventWindow = openObject({
  ...windowFacts,
  firstSequence: { type: 'integer' },
  lastSequence: { type: 'integer' },
});

/** The anchored window that holds an event, and the sequences of the event's agent in it. */
export type EventWindow = JsonOf<typeof eventWindow>;

const reportedOutcome = openObject({
  eventId: uuid,
  occurredAt: instant,
  sequence: { type: 'integer' },
  outcome: { type: ['string', 'null'] },
  detail: { description: 'the detail that was reported; `null`: none, or it is erased' },
});

const eventDetail = {
  ...eventRecord,
  required: [
    ...eventRecord.required,
    'leaf',
    'opened',
    'erased',
    'coverage',
    'apiKeyId',
    'profileSha256',
    'window',
    'dueBy',
    'outcomes',
    'unanswered',
    'followUps',
  ],
  properties: {
    ...eventRecord.properties,
    leaf: { type: 'object', description: 'the event as it is hashed: its RFC 8785 form is the leaf' },
    opened: {
      type: 'object',
      description:
        'what opens the commitments of the leaf, by `action`, `payload` and `context`: `{salt, value}`; without `value` if it was not stored; absent if it is erased',
    },
    erased: { type: 'boolean', description: 'the content was erased by an order or by its age' },
    coverage: {
      type: ['string', 'null'],
      description: '`governed` or `none`: whether a rule applied to this kind of action; `null`: no check',
    },
    apiKeyId: { type: ['string', 'null'] },
    profileSha256: nullable(sha256Hex),
    window: nullable(eventWindow),
    dueBy: {
      anyOf: [instant, { type: 'null' }],
      description: 'of an event that is not anchored: the end of its window, after which it is anchored; else `null`',
    },
    outcomes: { type: 'array', items: reportedOutcome },
    unanswered: { type: 'boolean', description: 'the answer to this check may not have reached its caller' },
    followUps: {
      type: 'array',
      items: followUp,
      description: 'what was found and done about a refused check, oldest first',
    },
  },
} as const;

/** Answer of `GET /v1/events/{eventId}`. */
export type EventDetail = EventRecord & {
  readonly leaf: LeafEvent;
  readonly opened: Openings;
  readonly erased: boolean;
  readonly coverage: PolicyCoverage | null;
  readonly apiKeyId: string | null;
  readonly profileSha256: string | null;
  readonly window: EventWindow | null;
  readonly dueBy: string | null;
  readonly outcomes: readonly JsonOf<typeof reportedOutcome>[];
  readonly unanswered: boolean;
  readonly followUps: readonly FollowUpRecord[];
};

/** Answer of `GET /v1/events/{eventId}/proof`: a body of `POST /v1/inclusion/verify`. */
export interface EventWithProof {
  readonly event: LeafEvent;
  readonly proof: InclusionProof;
}

const noSuchEvent = error('the account has no such event');

/** Routes of audit-log about one event. */
export const oneEventRoutes = {
  getEvent: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/events/{eventId}',
    operationId: 'getEvent',
    summary: 'One event: its leaf, what opens it, its window and its outcomes',
    tag: 'Events',
    auth: 'session',
    params: { eventId: uuid },
    success: 200,
    responses: {
      200: { description: 'the event', schema: eventDetail },
      400: bodyErrors[400],
      ...sessionErrors,
      404: noSuchEvent,
    },
  }),
  getEventProof: route({
    service: 'audit-log',
    method: 'GET',
    path: '/v1/events/{eventId}/proof',
    operationId: 'getEventProof',
    summary: 'One event with the proof that its leaf is anchored',
    tag: 'Events',
    auth: 'session',
    params: { eventId: uuid },
    success: 200,
    responses: {
      200: {
        description: 'the event as it is hashed, and its proof; `{eventId, anchored: false}` while it is not anchored',
        schema: openObject({ event: { type: 'object' }, proof: { type: 'object' } }),
      },
      400: bodyErrors[400],
      ...sessionErrors,
      404: noSuchEvent,
      503: error('anchoring cannot be reached: try again'),
    },
  }),
} as const;
