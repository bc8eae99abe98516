import { FRAMEWORKS } from '../package.js';
import { bodyErrors, error, instant, isoTime, pageOf, paging, sessionErrors, uuid } from './fragments.js';
import { nullable, openObject, type JsonOf } from './json-schema.js';
import { exportBody } from './reporting.js';
import { route } from './route.js';

/** Waiting for its turn, a step of the package that is made, or how it ended. */
export const REPORT_JOB_STATES = [
  'waiting',
  'reading',
  'proving',
  'anchoring',
  'signing',
  'drawing',
  'done',
  'failed',
] as const;
export type ReportJobState = (typeof REPORT_JOB_STATES)[number];

export const reportJobBody = {
  ...exportBody,
  properties: {
    ...exportBody.properties,
    title: { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S' },
    split: {
      type: 'boolean',
      description:
        'true: a range with more than a package holds, or than `fit`, becomes several packages, with no number between them',
    },
  },
} as const;

export type ReportJobBody = JsonOf<typeof reportJobBody>;

const count = { type: 'integer', minimum: 0 } as const;

const reportJob = openObject({
  id: uuid,
  createdAt: instant,
  state: { type: 'string', enum: REPORT_JOB_STATES },
  done: { ...count, description: 'events of the packages that are issued' },
  of: { ...nullable(count), description: 'events of the range; null until it was read' },
  reports: { type: 'array', items: uuid, description: 'reports issued, in the order of their ranges' },
  error: {
    type: ['string', 'null'],
    description: 'why it failed; while it waits, why the last attempt ended',
  },
  title: { type: ['string', 'null'] },
  format: { enum: ['json', 'pdf'] },
  frameworks: { type: 'array', items: { enum: FRAMEWORKS } },
  from: isoTime,
  to: isoTime,
  split: { type: 'boolean' },
});

/** A report job as the routes show it. */
export type ReportJobRecord = JsonOf<typeof reportJob>;

const of = { service: 'reporting', tag: 'Reports', auth: 'session' } as const;
const params = { id: uuid };
const notFound = error('no such job');

/** Reports that are made in the background. */
export const reportJobRoutes = {
  createReportJob: route({
    ...of,
    method: 'POST',
    path: '/v1/report-jobs',
    operationId: 'createReportJob',
    summary: 'Make a report, or several, in the background',
    role: 'member',
    // The plan is checked before the body (403 before 400), so the handler applies `reportJobBody` itself.
    body: {},
    shownBody: reportJobBody,
    success: 202,
    responses: {
      202: { description: 'the job, which waits for its turn', schema: reportJob },
      ...bodyErrors,
      ...sessionErrors,
      404: error('an agent that the account does not have'),
      429: {
        ...error('four jobs of the account have not ended'),
        headers: { 'Retry-After': 'seconds until it is worth another try' },
      },
    },
  }),
  listReportJobs: route({
    ...of,
    method: 'GET',
    path: '/v1/report-jobs',
    operationId: 'listReportJobs',
    summary: 'Report jobs of the last 30 days, newest first',
    query: paging,
    success: 200,
    responses: {
      200: { description: 'a page of jobs', schema: pageOf('jobs', reportJob) },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
  getReportJob: route({
    ...of,
    method: 'GET',
    path: '/v1/report-jobs/{id}',
    operationId: 'getReportJob',
    summary: 'How far a report job is',
    params,
    success: 200,
    responses: {
      200: { description: 'the job', schema: reportJob },
      400: bodyErrors[400],
      ...sessionErrors,
      404: notFound,
    },
  }),
  deleteReportJob: route({
    ...of,
    method: 'DELETE',
    path: '/v1/report-jobs/{id}',
    operationId: 'deleteReportJob',
    summary: 'Cancel a report job, or remove one that has ended',
    role: 'member',
    params,
    success: 204,
    responses: {
      204: { description: 'no further report is issued by it; those that were issued stay' },
      400: bodyErrors[400],
      ...sessionErrors,
      404: notFound,
    },
  }),
} as const;
