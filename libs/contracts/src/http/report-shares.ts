import {
  bodyErrors,
  error,
  instant,
  isoTime,
  limit,
  pageOf,
  paging,
  retryLater,
  sessionErrors,
  uuid,
} from './fragments.js';
import { nullable, object, type JsonOf } from './json-schema.js';
import { PACKAGE } from './public-answers.js';
import { packageSchema } from './reporting.js';
import { route } from './route.js';

export const SHARED_FORMS = ['package', 'pdf'] as const;
export type SharedForm = (typeof SHARED_FORMS)[number];

/** Longest time for which a link is valid, seconds: 366 days. */
export const LONGEST_SHARE_SECONDS = 31_622_400;

const person = object({ id: { type: 'string' }, email: { type: 'string' } });

const shareFields = {
  id: uuid,
  reportId: uuid,
  form: { type: 'string', enum: SHARED_FORMS },
  note: nullable({ type: 'string' }),
  createdAt: instant,
  createdBy: person,
  expiresAt: { ...instant, description: 'the link is not valid from then on' },
  revokedAt: nullable(instant),
  withdrawn: { type: 'boolean', description: 'the report was withdrawn: nothing is read by the link' },
  fetches: { type: 'integer', minimum: 0, description: 'all answers with the report' },
  lastFetchAt: nullable(instant),
  log: {
    type: 'array',
    description: 'the newest 100 fetches, newest first',
    items: object({
      at: instant,
      address: nullable({ type: 'string', description: 'null for members, and where it is unknown' }),
    }),
  },
} as const;

const share = object(shareFields);
const newShare = object({
  ...shareFields,
  url: { type: 'string', description: 'the link with its token: only in this answer' },
});

/** A link to a stored report as the routes show it. */
export type ShareRecord = JsonOf<typeof share>;
export type NewShareRecord = JsonOf<typeof newShare>;

export const shareBody = {
  type: 'object',
  properties: {
    expiresAt: { ...isoTime, description: 'at most 366 days from now; this or `expiresIn`' },
    expiresIn: {
      type: 'integer',
      minimum: 60,
      maximum: LONGEST_SHARE_SECONDS,
      description: 'seconds; this or `expiresAt`',
    },
    form: { enum: SHARED_FORMS, description: 'default `package`' },
    withhold: {
      type: 'array',
      items: { enum: ['action', 'payload', 'context'] },
      uniqueItems: true,
      description: 'what the stored report must not open: 409 where it opens some of it',
    },
    note: { type: 'string', minLength: 1, maxLength: 500, pattern: '\\S', description: 'for whom the link is' },
  },
  additionalProperties: false,
} as const;

export type ShareBody = JsonOf<typeof shareBody>;

const of = { service: 'reporting', tag: 'Reports', auth: 'session' } as const;
const notNow = retryLater('the time or the store cannot be asked');
/** Each link has up to 100 fetches: a page has fewer links than other pages may have. */
const pagingOfShares = { ...paging, limit: { ...limit, maximum: 100 } } as const;
const noReport = error('no such report, or one without a PDF, or it was withdrawn');

/** Links by which stored reports are read without an account. */
export const reportShareRoutes = {
  shareReport: route({
    ...of,
    method: 'POST',
    path: '/v1/reports/{id}/shares',
    operationId: 'shareReport',
    summary: 'Make a link by which a stored report is read without an account',
    params: { id: uuid },
    body: shareBody,
    success: 201,
    responses: {
      201: { description: 'the link', schema: newShare },
      ...bodyErrors,
      ...sessionErrors,
      404: noReport,
      409: error('the report opens what is to be withheld, or has as many links as it may have'),
      503: retryLater('other reports are being read, or the time cannot be asked'),
    },
  }),
  listShares: route({
    ...of,
    method: 'GET',
    path: '/v1/reports/{id}/shares',
    operationId: 'listShares',
    summary: 'Links of a report, newest first, with their fetches',
    params: { id: uuid },
    query: pagingOfShares,
    success: 200,
    responses: {
      200: { description: 'a page of links', schema: pageOf('shares', share) },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('no such report'),
      503: retryLater('the store cannot be reached'),
    },
  }),
  revokeShare: route({
    ...of,
    method: 'DELETE',
    path: '/v1/reports/{id}/shares/{shareId}',
    operationId: 'revokeShare',
    summary: 'Revoke a link of a report',
    params: { id: uuid, shareId: uuid },
    success: 204,
    responses: {
      204: { description: 'the link is not valid any more' },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('the report has no such link'),
      503: notNow,
    },
  }),
  getSharedReport: route({
    service: 'reporting',
    method: 'GET',
    path: '/v1/shared/{token}',
    operationId: 'getSharedReport',
    summary: 'A stored report by the token of a link to it',
    tag: 'Public',
    auth: 'none',
    perAddress: PACKAGE,
    // Not a pattern: a malformed token is answered as an unknown one.
    params: { token: { type: 'string' } },
    success: 200,
    responses: {
      200: {
        description: 'the package or its PDF, byte for byte as issued',
        schema: packageSchema,
        alsoAs: ['application/pdf'],
        headers: {
          'x-report-id': 'id of the report',
          'Cache-Control': 'no-store',
          'X-Robots-Tag': 'noindex, nofollow, noarchive',
          'Referrer-Policy': 'no-referrer',
        },
      },
      404: error('no link is valid with this token'),
      500: error('the lookup failed'),
      503: notNow,
    },
  }),
} as const;
