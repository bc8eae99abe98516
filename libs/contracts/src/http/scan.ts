import { decision } from './check.js';
import { bodyErrors, error, uuid } from './fragments.js';
import { route } from './route.js';

/** Body of `POST /v1/mcp/scan`. */
export interface ScanRequest {
  readonly agentId: string;
  readonly text: string;
}

export const scanRoutes = {
  scan: route({
    service: 'gateway',
    method: 'POST',
    path: '/v1/mcp/scan',
    operationId: 'mcpScan',
    summary: "Judges a text by the agent's output rules alone; nothing is recorded or counted",
    tag: 'Tool protocol',
    auth: 'api-key',
    body: {
      type: 'object',
      required: ['agentId', 'text'],
      properties: { agentId: uuid, text: { type: 'string' } },
      additionalProperties: false,
    },
    success: 200,
    responses: {
      200: { description: "as a check's answer; a denial is 200 as well", schema: decision },
      ...bodyErrors,
      401: error('no valid API key'),
      404: error('no such agent, or it is inactive'),
      503: {
        ...error('the rules in force are not known here yet, or too many texts are being judged'),
        headers: { 'Retry-After': 'seconds to wait' },
      },
    },
  }),
};
