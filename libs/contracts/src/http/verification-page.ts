import { LOOK_UP, pageFileResponses, pageResponses } from './public-answers.js';
import { route } from './route.js';

const revalidated = {
  ETag: 'changes when the answer does; sent back in If-None-Match',
  'Cache-Control': 'the page is requested each time, for a 304',
} as const;

/** The public page that verifies a report in the browser. */
export const verificationPageRoutes = {
  getPage: route({
    service: 'verification',
    method: 'GET',
    path: '/verify',
    operationId: 'getVerificationPage',
    summary: 'A page that verifies a report in the browser; #report=<id>&sha256=<hash> names the expected one',
    tag: 'Public',
    auth: 'none',
    perAddress: LOOK_UP,
    success: 200,
    responses: pageResponses(revalidated),
  }),
  getPageFile: route({
    service: 'verification',
    method: 'GET',
    path: '/verify/{file}',
    operationId: 'getVerificationPageFile',
    summary: 'A script or style of the verification page; evidence.js is the whole verifier in one file',
    tag: 'Public',
    auth: 'none',
    perAddress: LOOK_UP,
    params: { file: { type: 'string', maxLength: 64, examples: ['page.js'] } },
    success: 200,
    responses: pageFileResponses(revalidated),
  }),
} as const;
