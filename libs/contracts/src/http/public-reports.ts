import { error, uuid } from './fragments.js';
import { PACKAGE, revalidated } from './public-answers.js';
import { packageSchema } from './reporting.js';
import { route } from './route.js';

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
    summary: 'The signed package that a PDF was drawn from, by the hash of the file',
    tag: 'Public',
    auth: 'none',
    perAddress: PACKAGE,
    params: { sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
    success: 200,
    responses: {
      200: {
        description: 'the package, byte for byte as it is embedded in the PDF',
        schema: packageSchema,
        headers: revalidated,
      },
      304: { description: 'the package of the ETag that If-None-Match names' },
      400: error('not 64 lower-case hex characters'),
      404: error('no PDF of that hash was issued here, or its report was withdrawn'),
      500: error('the look-up failed'),
    },
  }),
} as const;
