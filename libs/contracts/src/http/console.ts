import { error } from './fragments.js';
import { LOOK_UP, revalidated } from './public-answers.js';
import { route } from './route.js';

/** The web application for people. Its data are the routes for sessions. */
export const consoleRoutes = {
  getConsole: route({
    service: 'console',
    method: 'GET',
    path: '/console',
    operationId: 'getConsole',
    summary: 'The web application: events, agents and their state, for people who sign in',
    tag: 'Operations',
    auth: 'none',
    perAddress: LOOK_UP,
    success: 200,
    responses: {
      200: { description: 'the page', contentType: 'text/html', headers: revalidated },
      304: { description: 'unchanged since the ETag in If-None-Match' },
    },
  }),
  getConsoleFile: route({
    service: 'console',
    method: 'GET',
    path: '/console/{file}',
    operationId: 'getConsoleFile',
    summary: 'A script or style of the console; names with a hash may be cached for a year',
    tag: 'Operations',
    auth: 'none',
    perAddress: LOOK_UP,
    params: { file: { type: 'string', maxLength: 64, examples: ['icon.svg'] } },
    success: 200,
    responses: {
      200: {
        description: 'the file',
        contentType: 'text/javascript',
        alsoAs: ['text/css', 'image/svg+xml'],
        headers: revalidated,
      },
      304: { description: 'unchanged since the ETag in If-None-Match' },
      404: error('the page has no such file'),
    },
  }),
} as const;
