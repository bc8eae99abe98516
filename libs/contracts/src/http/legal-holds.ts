import {
  bodyErrors,
  error,
  instant,
  isoTime,
  pageOf,
  paging,
  retryLater,
  sessionErrors,
  uuid,
  words,
} from './fragments.js';
import { nullable, object, type JsonOf } from './json-schema.js';
import { route } from './route.js';

/**
 * `settling`: no erasure of what is held begins, and one that had begun before may still be carried out. `in_force`: none
 * is. `released`: the hold keeps nothing.
 */
export const HOLD_STATES = ['settling', 'in_force', 'released'] as const;
export type HoldState = (typeof HOLD_STATES)[number];

/** Agents that one hold may name. */
export const MOST_HELD_AGENTS = 1_000;

const person = object({ id: { type: 'string' }, email: { type: 'string' } });

const hold = object({
  id: uuid,
  name: { type: 'string' },
  reason: { type: 'string', description: 'why the content is held' },
  agents: nullable({
    type: 'array',
    items: { type: 'string' },
    description:
      'null: everything of the account, agents that are registered later and the trail of its people included',
  }),
  from: nullable({
    ...instant,
    description: 'events from this time on, by their `occurredAt`; null: from the first on',
  }),
  to: nullable({ ...instant, description: 'events before this time; null: without an end' }),
  state: {
    type: 'string',
    enum: HOLD_STATES,
    description:
      '`settling`: no erasure of what is held begins, and one that had begun before may still be carried out: usually for a minute at most, longer while the archive is behind. `in_force`: none is. `released`: it keeps nothing',
  },
  placedAt: instant,
  placedBy: person,
  released: nullable(object({ at: instant, by: person, reason: { type: 'string' } })),
});

/** A legal hold as the routes show it. */
export type LegalHoldRecord = JsonOf<typeof hold>;

export const newHoldBody = {
  type: 'object',
  required: ['name', 'reason'],
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      pattern: '\\S',
      description: 'such as the number of the case; two holds that are not released have different names',
    },
    reason: words,
    agents: {
      type: 'array',
      minItems: 1,
      maxItems: MOST_HELD_AGENTS,
      uniqueItems: true,
      items: uuid,
      description: 'absent: everything of the account',
    },
    from: { ...isoTime, description: 'events from this time on' },
    to: { ...isoTime, description: 'events before this time' },
  },
  additionalProperties: false,
} as const;

export type NewHoldBody = JsonOf<typeof newHoldBody>;

export const releaseHoldBody = {
  type: 'object',
  required: ['reason'],
  properties: { reason: words },
  additionalProperties: false,
} as const;

export type ReleaseHoldBody = JsonOf<typeof releaseHoldBody>;

const of = { service: 'audit-log', tag: 'Legal holds', auth: 'session' } as const;
const notNow = retryLater('the time or the store cannot be asked');
const forReaders = { 401: sessionErrors[401], 403: error('legal holds are read by admins and auditors') } as const;
const noHold = error('the account has no such hold');

/** Legal holds: content that is not erased, by hand or by age, until the hold is released. */
export const legalHoldRoutes = {
  placeLegalHold: route({
    ...of,
    method: 'POST',
    path: '/v1/legal-holds',
    operationId: 'placeLegalHold',
    summary: 'Hold content: it is not erased, by hand or by age, until the hold is released',
    role: 'admin',
    body: newHoldBody,
    success: 201,
    responses: {
      201: { description: 'the hold', schema: hold },
      ...bodyErrors,
      ...sessionErrors,
      404: error('the account has no such agent'),
      409: error('a hold of this name is not released, or the account has as many holds as it may have'),
      503: notNow,
    },
  }),
  listLegalHolds: route({
    ...of,
    method: 'GET',
    path: '/v1/legal-holds',
    operationId: 'listLegalHolds',
    summary: 'Legal holds, newest first, released ones included',
    query: paging,
    success: 200,
    responses: {
      200: { description: 'a page of holds', schema: pageOf('holds', hold) },
      400: bodyErrors[400],
      ...forReaders,
      503: notNow,
    },
  }),
  getLegalHold: route({
    ...of,
    method: 'GET',
    path: '/v1/legal-holds/{id}',
    operationId: 'getLegalHold',
    summary: 'A legal hold: what it holds, by whom and why, and whether it is in force',
    params: { id: uuid },
    success: 200,
    responses: {
      200: { description: 'the hold', schema: hold },
      400: bodyErrors[400],
      ...forReaders,
      404: noHold,
      503: notNow,
    },
  }),
  releaseLegalHold: route({
    ...of,
    method: 'POST',
    path: '/v1/legal-holds/{id}/release',
    operationId: 'releaseLegalHold',
    summary: 'Release a legal hold: its content may be erased again',
    role: 'admin',
    params: { id: uuid },
    body: releaseHoldBody,
    success: 200,
    responses: {
      200: { description: 'the released hold', schema: hold },
      ...bodyErrors,
      ...sessionErrors,
      404: noHold,
      409: error('the hold was released before'),
      503: notNow,
    },
  }),
} as const;
