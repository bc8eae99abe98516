import { complianceScopeSchema } from '../compliance-scope.js';
import { FRAMEWORKS } from '../package.js';
import {
  bodyErrors,
  error,
  isoTime,
  pageOf,
  paging,
  retryLater,
  sessionErrors,
  sha256Hex,
  uuid,
  notRecorded,
} from './fragments.js';
import { nullable, object, type JsonOf, type JsonSchema, type QueryOf } from './json-schema.js';
import { route } from './route.js';

/** A signed package. */
export const packageSchema: JsonSchema = {
  type: 'object',
  description: 'Signed evidence package, schemaVersion 1.0.0',
  required: [
    'schemaVersion',
    'canonicalization',
    'sha256',
    'signature',
    'algorithm',
    'publicKeyUrl',
    'timestamp',
    'inclusionProofs',
  ],
  properties: {
    schemaVersion: { const: '1.0.0' },
    canonicalization: { const: 'rfc8785-jcs' },
    sha256: sha256Hex,
    signature: { type: 'string' },
    algorithm: { const: 'Ed25519' },
    publicKeyUrl: { type: 'string' },
    timestamp: { type: 'object' },
    events: { type: 'array' },
    inclusionProofs: { type: 'array' },
    audit: {
      type: 'object',
      description: 'organisation, system, environment, who exported it, and who reviewed the mapping',
    },
    mappingRows: { type: 'array', description: 'relation, rationale and source of each control of the events' },
    redecision: {
      type: 'object',
      description:
        'how many verdicts were the same when they were computed again, and where balances broke; absent where that was not computed',
    },
    oversight: {
      type: 'object',
      description:
        'human oversight: requests for an approval, what was decided, by whom and how fast, by rule and person; absent in packages from before',
    },
    signedPages: { const: true, description: 'issued as a PDF whose bytes are signed as well; absent for format json' },
  },
};

const reportEntry = {
  type: 'object',
  required: [
    'id',
    'createdAt',
    'format',
    'frameworks',
    'public',
    'range',
    'agents',
    'events',
    'anchored',
    'title',
    'issuedBy',
    'withdrawn',
    'sha256',
    'pdfSha256',
  ],
  properties: {
    id: uuid,
    createdAt: { type: 'string' },
    format: { enum: ['json', 'pdf'] },
    frameworks: { type: 'array', items: { enum: FRAMEWORKS } },
    public: { type: 'boolean' },
    range: object({ from: { type: 'string' }, to: { type: 'string' } }),
    agents: { type: 'integer', description: 'agents that the package lists' },
    events: { type: ['integer', 'null'], description: 'null for a report of an older release' },
    anchored: { type: ['integer', 'null'], description: 'events with a proof in a transaction' },
    issuedBy: nullable(object({ id: { type: 'string' }, email: { type: 'string' } })),
    title: { type: ['string', 'null'] },
    withdrawn: { type: ['string', 'null'], description: 'why the report cannot be read any more' },
    sha256: sha256Hex,
    pdfSha256: nullable(sha256Hex),
    contentHash: sha256Hex,
    anchor: {
      type: 'object',
      description: 'The transaction that holds the content hash, also if it was confirmed after the report was issued',
      properties: {
        network: nullable({ type: 'string' }),
        txSignature: nullable({ type: 'string' }),
        blockHeight: nullable({ type: 'integer' }),
      },
    },
  },
} as const;

export type ReportRecord = JsonOf<typeof reportEntry>;

export const exportBody = {
  type: 'object',
  required: ['format', 'frameworks', 'from', 'to'],
  properties: {
    agentIds: { type: 'array', items: uuid, maxItems: 1000 },
    format: { enum: ['json', 'pdf'] },
    frameworks: { type: 'array', items: { enum: FRAMEWORKS }, minItems: 1, uniqueItems: true },
    from: isoTime,
    to: isoTime,
    withhold: { type: 'array', items: { enum: ['action', 'payload', 'context'] }, uniqueItems: true },
    trail: {
      enum: ['withheld', 'opened'],
      description:
        'the content of the events of the account itself, of what its people did: `opened` is for admins and auditors',
    },
    fit: {
      type: 'integer',
      minimum: 1,
      maximum: 50_000,
      description:
        'the most events that the package holds: it ends earlier where the range has more, or is too large; `x-range-to` is its end',
    },
  },
  additionalProperties: false,
} as const;

export type ExportBody = JsonOf<typeof exportBody>;

const reportsQuery = {
  ...paging,
  opens: {
    ...uuid,
    description:
      'id of an event: only reports that show its action, payload or context and are not withdrawn. `DELETE /v1/events/{eventId}/content` withdraws these',
  },
} as const;

export const reportingRoutes = {
  exportSigned: route({
    service: 'reporting',
    method: 'POST',
    path: '/v1/events/export-signed',
    operationId: 'exportSigned',
    summary: 'Issue a signed evidence package',
    tag: 'Reports',
    auth: 'session',
    // The plan is checked before the body (403 before 400), so the handler applies `exportBody` itself.
    body: {},
    shownBody: exportBody,
    success: 200,
    responses: {
      200: {
        description: 'the package',
        schema: packageSchema,
        alsoAs: ['application/pdf'],
        headers: {
          'x-report-id': 'id of the report',
          'x-range-to': 'end of the range of the package: with `fit` it may be earlier than `to`',
          'x-pdf-sha256': 'SHA-256 of the PDF, for format pdf',
        },
      },
      ...bodyErrors,
      ...sessionErrors,
      404: error('an agent that the account does not have'),
      503: error(
        'the archive or the log cannot be reached, it cannot be signed, too many packages or PDFs are queued, or the process that computes the verdicts ended',
      ),
    },
  }),
  listReports: route({
    service: 'reporting',
    method: 'GET',
    path: '/v1/reports',
    operationId: 'listReports',
    summary: 'Reports issued, newest first; with `opens`, those that the erasure of an event’s content withdraws',
    tag: 'Reports',
    auth: 'session',
    query: reportsQuery,
    success: 200,
    responses: {
      200: { description: 'a page of reports', schema: pageOf('reports', reportEntry) },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('with `opens`: the account has no such event'),
      503: retryLater('with `opens`: the archive cannot be read now'),
    },
  }),
  getReport: route({
    service: 'reporting',
    method: 'GET',
    path: '/v1/reports/{id}',
    operationId: 'getReport',
    summary: 'A signed package as it was issued',
    tag: 'Reports',
    auth: 'session',
    params: { id: uuid },
    success: 200,
    responses: {
      200: {
        description: 'the package; its PDF if `Accept` names application/pdf first and one was issued',
        schema: packageSchema,
        alsoAs: ['application/pdf'],
        headers: { 'x-pdf-sha256': 'SHA-256 of the PDF' },
      },
      400: bodyErrors[400],
      ...sessionErrors,
      403: error('the report shows the content of the trail, which is for admins and auditors'),
      404: error('no such report, or one without a PDF'),
    },
  }),
  updateReport: route({
    service: 'reporting',
    method: 'PATCH',
    path: '/v1/reports/{id}',
    operationId: 'updateReport',
    summary: 'Make a report public, or private again',
    tag: 'Reports',
    auth: 'session',
    role: 'member',
    params: { id: uuid },
    body: object({ public: { type: 'boolean' } }),
    success: 200,
    responses: {
      200: { description: 'the list entry', schema: reportEntry },
      ...bodyErrors,
      ...sessionErrors,
      ...notRecorded,
      404: error('no such report'),
    },
  }),
  getComplianceScope: route({
    service: 'reporting',
    method: 'GET',
    path: '/v1/compliance-scope',
    operationId: 'getComplianceScope',
    summary: 'The declared compliance scope; null is undeclared',
    tag: 'Reports',
    auth: 'session',
    success: 200,
    responses: { 200: { description: 'the declaration', schema: complianceScopeSchema }, ...sessionErrors },
  }),
  putComplianceScope: route({
    service: 'reporting',
    method: 'PUT',
    path: '/v1/compliance-scope',
    operationId: 'putComplianceScope',
    summary: 'Declare the scope of the account’s frameworks',
    tag: 'Reports',
    auth: 'session',
    role: 'admin',
    body: complianceScopeSchema,
    success: 200,
    responses: {
      200: { description: 'the declaration', schema: complianceScopeSchema },
      ...bodyErrors,
      ...sessionErrors,
      ...notRecorded,
    },
  }),
} as const;

export type ReportsQuery = QueryOf<typeof reportingRoutes.listReports>;
