import { error } from './fragments.js';
import { packageSchema } from './reporting.js';
import { route } from './route.js';

/** Reports as anybody finds them, without an account. */
export const publicReportRoutes = {
  getReportByPdf: route({
    service: 'verification',
    method: 'GET',
    path: '/v1/reports/by-pdf-sha256/{sha256}',
    operationId: 'getReportByPdf',
    summary: 'The signed package that a PDF was drawn from, by the hash of the file',
    tag: 'Public',
    auth: 'none',
    params: { sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
    success: 200,
    responses: {
      200: { description: 'the package, byte for byte as it is embedded in the PDF', schema: packageSchema },
      400: error('not 64 lower-case hex characters'),
      404: error('no PDF of that hash was issued here, or its report was withdrawn'),
      500: error('the look-up failed'),
    },
  }),
} as const;
