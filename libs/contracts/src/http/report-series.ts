import { bodyErrors, error, pageOf, paging, sessionErrors, sha256Hex, uuid } from './fragments.js';
import { nullable, object, type JsonOf, type JsonSchema } from './json-schema.js';
import { route } from './route.js';

/** A signed series: FORMAT.md, "Series". */
const seriesSchema: JsonSchema = {
  type: 'object',
  description: 'Signed series of packages, schemaVersion series-1.0.0',
  required: ['kind', 'schemaVersion', 'seriesId', 'range', 'packages', 'agents', 'totals', 'sha256', 'signature'],
  properties: {
    kind: { const: 'series' },
    schemaVersion: { const: 'series-1.0.0' },
    seriesId: uuid,
    range: { type: 'object' },
    packages: { type: 'array', items: { type: 'object' } },
    agents: { type: 'array', items: { type: 'object' } },
    totals: { type: 'object' },
    changes: { type: 'array', items: { type: 'object' } },
    sha256: sha256Hex,
    signature: { type: 'string' },
  },
};

const seriesEntry = {
  type: 'object',
  required: ['id', 'createdAt', 'from', 'to', 'reportIds', 'sha256', 'contentHash', 'anchor'],
  properties: {
    id: uuid,
    createdAt: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    reportIds: { type: 'array', items: uuid },
    sha256: sha256Hex,
    contentHash: sha256Hex,
    anchor: {
      type: 'object',
      description: 'The transaction that holds the content hash, also if it was confirmed after the series was issued',
      required: ['network', 'txSignature', 'blockHeight'],
      properties: {
        network: nullable({ type: 'string' }),
        txSignature: nullable({ type: 'string' }),
        blockHeight: nullable({ type: 'integer' }),
      },
    },
  },
} as const;

export type SeriesRecord = JsonOf<typeof seriesEntry>;

export const seriesBody = object({
  reportIds: { type: 'array', items: uuid, minItems: 1, maxItems: 2000, uniqueItems: true },
});

export type SeriesBody = JsonOf<typeof seriesBody>;

const headers = { 'x-series-id': 'id of the series' } as const;

export const reportSeriesRoutes = {
  issueSeries: route({
    service: 'reporting',
    method: 'POST',
    path: '/v1/report-series',
    operationId: 'issueSeries',
    summary: 'Join reports of adjacent ranges by a signed series',
    tag: 'Reports',
    auth: 'session',
    // The plan is checked before the body (403 before 400), so the handler applies `seriesBody` itself.
    body: {},
    shownBody: seriesBody,
    success: 200,
    responses: {
      200: { description: 'the series', schema: seriesSchema, headers },
      ...bodyErrors,
      400: error('the body is malformed, or something lies between the reports; the text says what to change'),
      ...sessionErrors,
      404: error('a report that the account does not have, or that was withdrawn'),
      503: error('the log cannot be reached, it cannot be signed, or other series are under way'),
    },
  }),
  listSeries: route({
    service: 'reporting',
    method: 'GET',
    path: '/v1/report-series',
    operationId: 'listSeries',
    summary: 'Series issued, newest first',
    tag: 'Reports',
    auth: 'session',
    query: paging,
    success: 200,
    responses: {
      200: { description: 'a page of series', schema: pageOf('series', seriesEntry) },
      400: bodyErrors[400],
      ...sessionErrors,
    },
  }),
  getSeries: route({
    service: 'reporting',
    method: 'GET',
    path: '/v1/report-series/{id}',
    operationId: 'getSeries',
    summary: 'A signed series as it was issued',
    tag: 'Reports',
    auth: 'session',
    params: { id: uuid },
    success: 200,
    responses: {
      200: { description: 'the series', schema: seriesSchema, headers },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('no such series'),
    },
  }),
};
