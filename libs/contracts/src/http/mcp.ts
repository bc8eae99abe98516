import { originHeaders } from './check.js';
import { bodyErrors, error } from './fragments.js';
import { route } from './route.js';

const rpc = {
  type: ['object', 'array'],
  description: 'a message of JSON-RPC 2.0, or several',
  properties: { jsonrpc: {}, id: {}, method: {}, params: {}, result: {}, error: {} },
} as const;

export const mcpRoutes = {
  mcp: route({
    service: 'mcp',
    method: 'POST',
    path: '/mcp',
    operationId: 'mcp',
    summary:
      'The Model Context Protocol (Streamable HTTP, without sessions): tools register_agent, check_action, log_action, scan_output',
    tag: 'Tool protocol',
    auth: 'api-key',
    headers: originHeaders,
    body: rpc,
    success: 200,
    responses: {
      200: { description: 'answers to the requests of the body', schema: rpc },
      202: { description: 'notifications were accepted' },
      ...bodyErrors,
      400: { description: 'malformed, or not a message of the protocol: `{error}`, or a JSON-RPC error', schema: rpc },
      401: error('no valid API key with this right'),
    },
  }),
};
