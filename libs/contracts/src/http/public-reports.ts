import { error, sha256Hex, uuid } from './fragments.js';
import { PACKAGE, revalidated } from './public-answers.js';
import { packageSchema } from './reporting.js';
import { object, type JsonOf } from './json-schema.js';
import { route } from './route.js';

const issuedPdf = {
  ...object({
    issued: { const: true },
    public: { const: false },
    pdfSha256: sha256Hex,
    sha256: { ...sha256Hex, description: 'of the embedded package' },
    publicKeyUrl: { type: 'string', description: 'address of the key that signed the package and the PDF' },
    issued_at: { type: 'string', format: 'date-time' },
  }),
  description: 'a PDF whose report is not public: that it was issued, when and by which key',
} as const;

/** Answer for a PDF whose report is not public: it holds no event, and nothing that opens one. */
export type IssuedPdf = JsonOf<typeof issuedPdf>;

/** Public reports: no account is needed. */
export const publicReportRoutes = {
  getPublicReport: route({
    service: 'verification',
    method: 'GET',
    path: '/v1/reports/{id}/public',
    operationId: 'getPublicReport',
    summary: 'The signed package of a report that its account made public',
    tag: 'Public',
    auth: 'none',
    perAddress: PACKAGE,
    params: { id: uuid },
    success: 200,
    responses: {
      200: { description: 'the package, byte for byte as issued', schema: packageSchema, headers: revalidated },
      304: { description: 'unchanged since the ETag in If-None-Match' },
      400: error('not a report id'),
      404: error('no such report, or it is not public, or it was withdrawn'),
      500: error('the lookup failed'),
    },
  }),
  getReportByPdf: route({
    service: 'verification',
    method: 'GET',
    path: '/v1/reports/by-pdf-sha256/{sha256}',
    operationId: 'getReportByPdf',
    summary:
      'Finds out whether a PDF was issued here, by the hash of the file; returns its package if the report is public',
    tag: 'Public',
    auth: 'none',
    perAddress: PACKAGE,
    params: { sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
    success: 200,
    responses: {
      200: {
        description:
          'the package, byte for byte as embedded in the PDF, if the report is public; otherwise that the PDF was issued, when and by which key',
        schema: { oneOf: [packageSchema, issuedPdf] },
        headers: revalidated,
      },
      304: { description: 'unchanged since the ETag in If-None-Match' },
      400: error('not 64 lower-case hex characters'),
      404: error('no PDF with that hash was issued here, or its report was withdrawn'),
      500: error('the lookup failed'),
    },
  }),
} as const;
