import { LOOK_UP, pageFileResponses, pageResponses, revalidated } from './public-answers.js';
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
    responses: pageResponses(revalidated),
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
    responses: pageFileResponses(revalidated),
  }),
} as const;
