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
    sha256: { ...sha256Hex, description: 'of the package inside' },
    publicKeyUrl: { type: 'string', description: 'of the key that signed the package and the PDF' },
    issued_at: { type: 'string', format: 'date-time' },
  }),
  description: 'a PDF whose report is not public: that it was issued, when and by which key',
} as const;

/** Answer for a PDF whose report is not public: it holds no event, and nothing that opens one. */
export type IssuedPdf = JsonOf<typeof issuedPdf>;

/** Reports as anybody finds them, without an account. */
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
      200: { description: 'the package, byte for byte as it was issued', schema: packageSchema, headers: revalidated },
      304: { description: 'the package of the ETag that If-None-Match names' },
      400: error('not a report id'),
      404: error('no such report, not a public one, or one that was withdrawn'),
      500: error('the look-up failed'),
    },
  }),
  getReportByPdf: route({
    service: 'verification',
    method: 'GET',
    path: '/v1/reports/by-pdf-sha256/{sha256}',
    operationId: 'getReportByPdf',
    summary: 'Whether a PDF was issued here, by the hash of the file: its package where the report is public',
    tag: 'Public',
    auth: 'none',
    perAddress: PACKAGE,
    params: { sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
    success: 200,
    responses: {
      200: {
        description:
          'the package, byte for byte as it is embedded in the PDF, where the report is public; otherwise that the PDF was issued, when and by which key',
        schema: { oneOf: [packageSchema, issuedPdf] },
        headers: revalidated,
      },
      304: { description: 'the answer of the ETag that If-None-Match names' },
      400: error('not 64 lower-case hex characters'),
      404: error('no PDF of that hash was issued here, or its report was withdrawn'),
      500: error('the look-up failed'),
    },
  }),
} as const;
