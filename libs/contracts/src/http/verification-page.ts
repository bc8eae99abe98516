import { error } from './fragments.js';
import { LOOK_UP } from './public-answers.js';
import { route } from './route.js';

const revalidated = {
  ETag: 'changes when the answer does; sent back in If-None-Match',
  'Cache-Control': 'that it is asked for each time, for a 304',
} as const;

/** The page on which anybody verifies a report in a browser. */
export const verificationPageRoutes = {
  getPage: route({
    service: 'verification',
    method: 'GET',
    path: '/verify',
    operationId: 'getVerificationPage',
    summary: 'A page that verifies a report in the browser; #report=<id>&sha256=<hash> names the one that is expected',
    tag: 'Public',
    auth: 'none',
    perAddress: LOOK_UP,
    success: 200,
    responses: {
      200: { description: 'the page', contentType: 'text/html', headers: revalidated },
      304: { description: 'the page of the ETag that If-None-Match names' },
    },
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
    responses: {
      200: {
        description: 'the file',
        contentType: 'text/javascript',
        alsoAs: ['text/css', 'image/svg+xml'],
        headers: revalidated,
      },
      304: { description: 'the file of the ETag that If-None-Match names' },
      404: error('the page has no such file'),
    },
  }),
} as const;
