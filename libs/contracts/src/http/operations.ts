import { error } from './fragments.js';
import { LOOK_UP, pageFileResponses, pageResponses } from './public-answers.js';
import type { JsonSchema } from './json-schema.js';
import { route } from './route.js';

const text: JsonSchema = { type: 'string' };

const caching = {
  ETag: 'changes with the file; send it back in If-None-Match',
  'Cache-Control': 'a name with a hash may be cached for a year; everything else is requested each time, for a 304',
} as const;

/** Routes that the edge of every process answers. */
export const operationsRoutes = {
  root: route({
    service: 'gateway',
    method: 'GET',
    path: '/',
    operationId: 'getRoot',
    summary: 'Name of the service, and where to continue; a browser is sent to the console',
    tag: 'Operations',
    auth: 'none',
    success: 200,
    responses: {
      200: {
        description: 'a sentence and addresses',
        schema: {
          type: 'object',
          required: ['name', 'description', 'documentation', 'openapi', 'check', 'verify', 'ready'],
          properties: {
            name: { const: 'Countersign' },
            description: text,
            documentation: text,
            openapi: text,
            check: text,
            verify: text,
            ready: text,
          },
        },
      },
      302: {
        description: '`Accept` names `text/html`, and this process serves the console',
        headers: { Location: 'the console, relative to this address' },
      },
    },
  }),
  healthz: route({
    service: 'gateway',
    method: 'GET',
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'Liveness of the process',
    tag: 'Operations',
    auth: 'none',
    success: 200,
    responses: {
      200: {
        description: 'alive',
        schema: { type: 'object', required: ['alive'], properties: { alive: { const: true } } },
      },
    },
  }),
  readyz: route({
    service: 'gateway',
    method: 'GET',
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Readiness of every service in the process',
    tag: 'Operations',
    auth: 'none',
    success: 200,
    responses: {
      200: {
        description: 'ready',
        schema: { type: 'object', required: ['ready'], properties: { ready: { const: true } } },
      },
      503: {
        description: 'not ready, with the reasons',
        schema: {
          type: 'object',
          required: ['ready', 'waitingFor'],
          properties: { ready: { const: false }, waitingFor: { type: 'array', items: text } },
        },
      },
    },
  }),
  metrics: route({
    service: 'gateway',
    method: 'GET',
    path: '/metrics',
    operationId: 'getMetrics',
    summary:
      'Metrics of the process in the Prometheus text format, for callers on this machine that address it as `localhost` or by a loopback address, or with the metrics token',
    tag: 'Operations',
    auth: 'none',
    success: 200,
    responses: {
      200: { description: 'metrics', contentType: 'text/plain; version=0.0.4; charset=utf-8', schema: text },
      401: error('the caller is not on this machine, or does not send the token'),
    },
  }),
  openapi: route({
    service: 'gateway',
    method: 'GET',
    path: '/v1/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This document',
    tag: 'Operations',
    auth: 'none',
    success: 200,
    responses: { 200: { description: 'the OpenAPI 3.1 document', schema: { type: 'object' } } },
  }),
  docs: route({
    service: 'gateway',
    method: 'GET',
    path: '/docs',
    operationId: 'getDocs',
    summary: 'This document as a page, to read and to try',
    tag: 'Operations',
    auth: 'none',
    perAddress: LOOK_UP,
    success: 200,
    responses: pageResponses(caching),
  }),
  docsFile: route({
    service: 'gateway',
    method: 'GET',
    path: '/docs/{file}',
    operationId: 'getDocsFile',
    summary: 'A script, style or icon of the page',
    tag: 'Operations',
    auth: 'none',
    perAddress: LOOK_UP,
    params: { file: { type: 'string', maxLength: 96, examples: ['page.js'] } },
    success: 200,
    responses: pageFileResponses(caching),
  }),
  authzen: route({
    service: 'gateway',
    method: 'GET',
    path: '/.well-known/authzen-configuration',
    operationId: 'getAuthzenConfiguration',
    summary: 'Addresses of the AuthZEN Authorization API 1.0 (section 9)',
    tag: 'Checks',
    auth: 'none',
    success: 200,
    responses: {
      200: {
        description: 'the addresses; there is no search API',
        schema: {
          type: 'object',
          required: ['policy_decision_point', 'access_evaluation_endpoint', 'access_evaluations_endpoint'],
          properties: {
            policy_decision_point: text,
            access_evaluation_endpoint: text,
            access_evaluations_endpoint: text,
            access_request_endpoint: text,
            jwks_uri: text,
            capabilities: { type: 'array', items: text },
          },
        },
      },
    },
  }),
} as const;
