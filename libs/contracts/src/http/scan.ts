import { decision } from './check.js';
import { allowedDecision, denialMembers } from './decision.js';
import { bodyErrors, error, uuid, retryLater } from './fragments.js';
import { object, type BodyOf } from './json-schema.js';
import { route } from './route.js';

const toolName = { type: 'string', minLength: 1 } as const;

const unknownYet = retryLater('the rules in force are not loaded yet');

export const scanRoutes = {
  scan: route({
    service: 'gateway',
    method: 'POST',
    path: '/v1/mcp/scan',
    operationId: 'mcpScan',
    summary: "Judges a text by the agent's output rules only; nothing is recorded or counted",
    tag: 'Tool protocol',
    auth: 'api-key',
    rights: ['scan'],
    body: object({ agentId: uuid, text: { type: 'string' } }),
    success: 200,
    responses: {
      200: { description: 'as the answer of a check; a denial is 200 as well', schema: decision },
      ...bodyErrors,
      401: error('no valid API key with this right'),
      404: error('no such agent, an inactive one, or the key is not valid for it'),
      503: retryLater('the rules in force are not loaded yet, or too many texts are being judged'),
    },
  }),
  tools: route({
    service: 'gateway',
    method: 'POST',
    path: '/v1/mcp/tools',
    operationId: 'mcpTools',
    summary: 'Says which tools an agent may not use with any arguments; nothing is recorded or counted',
    tag: 'Tool protocol',
    auth: 'api-key',
    rights: ['scan'],
    body: object({ agentId: uuid, tools: { type: 'array', items: toolName, maxItems: 1000 } }),
    success: 200,
    responses: {
      200: {
        description:
          'each tool in the order of the request; a call of a tool that is allowed here may be denied for its arguments',
        schema: {
          type: 'object',
          required: ['tools'],
          properties: {
            tools: {
              type: 'array',
              items: {
                oneOf: [
                  {
                    ...allowedDecision,
                    required: ['name', 'allowed'],
                    properties: { name: toolName, allowed: { const: true } },
                  },
                  {
                    type: 'object',
                    required: ['name', 'allowed', 'reason', 'severity'],
                    properties: { name: toolName, allowed: { const: false }, ...denialMembers },
                  },
                ],
              },
            },
          },
          additionalProperties: false,
        },
      },
      ...bodyErrors,
      401: error('no valid API key with this right'),
      404: error('no such agent, an inactive one, or the key is not valid for it'),
      503: unknownYet,
    },
  }),
};

export type ScanRequest = BodyOf<typeof scanRoutes.scan>;
export type ToolsRequest = BodyOf<typeof scanRoutes.tools>;
