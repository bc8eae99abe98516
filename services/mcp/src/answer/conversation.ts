import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Logger } from 'pino';
import { readTraceparent, traceOfMeta } from '@countersign/contracts';
import type { ApiKeyPowers } from '@countersign/contracts';
import { hasOneOf } from '@countersign/service-kit';
import { callTool } from '../tools/call-tool.js';
import { TOOLS } from '../tools/tools.js';
import type { Api, Headers } from './api.js';

const INSTRUCTIONS =
  'Call check_action before you act, with the id of your agent, and act only if it says allowed: true. A denial has the reason, and what to do instead. ' +
  'Then report the outcome with log_action. scan_output judges a text before you send it.';

const INFO = { name: 'countersign', title: 'Countersign', version: '1.0.0' };

export interface Reply {
  readonly status: number;
  /** JSON; empty if there was no request. */
  readonly text: string;
}

/** Answers the messages of one request, each on its own: it keeps no session, so any instance can answer any of them. */
export class Conversation {
  constructor(
    private readonly api: Pick<Api, 'ask'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /**
   * @param message a JSON-RPC message, or several
   * @param powers rights of the key, which determine the tools that are shown
   * @param named headers that name session, principal, trace or approval of the checks
   */
  async answer(
    message: object,
    apiKey: string,
    powers: Pick<ApiKeyPowers, 'rights'>,
    protocolVersion: string | undefined,
    named: Headers = {},
  ): Promise<Reply> {
    const { WebStandardStreamableHTTPServerTransport } =
      await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js');
    const server = await this.#server(apiKey, powers, named);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    transport.onerror = (error) => this.log.warn({ err: error }, 'a message of the tool protocol was refused');
    try {
      // The types of the transport require callbacks that may be undefined.
      await server.connect(transport);
      const answer = await transport.handleRequest(requestOf(protocolVersion), { parsedBody: message });
      return { status: answer.status, text: await answer.text() };
    } finally {
      await server.close();
    }
  }

  async #server(apiKey: string, powers: Pick<ApiKeyPowers, 'rights'>, named: Headers): Promise<Server> {
    const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
    const { CallToolRequestSchema, CancelledNotificationSchema, ListToolsRequestSchema } =
      await import('@modelcontextprotocol/sdk/types.js');
    const server = new Server(INFO, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
    // A cancelled call would not be answered, nor the others of its request, which would then never end.
    server.setNotificationHandler(CancelledNotificationSchema, () => undefined);
    const shown = TOOLS.filter(({ rights }) => hasOneOf(powers, rights)).map((tool) => tool.shown);
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: shown }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      const own = tracedBy(params, named);
      return callTool(params.name, params.arguments ?? {}, (path, body) => this.api.ask(path, body, apiKey, own), own);
    });
    return server;
  }
}

/**
 * The headers of a call's check. The trace is that of its `_meta`, which belongs to this message, else that of the HTTP
 * request, which may carry several (OpenTelemetry, semantic conventions for MCP, "Context propagation").
 */
function tracedBy(params: unknown, { traceparent, ...named }: Headers): Headers {
  const trace = traceOfMeta(params) ?? readTraceparent(traceparent);
  return trace === null ? named : { ...named, traceparent: trace };
}

/** The request in the form of the transport. The caller's `Accept` is ignored: the answer is always JSON. */
function requestOf(protocolVersion: string | undefined): Request {
  return new Request('http://mcp.invalid/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(protocolVersion === undefined ? {} : { 'mcp-protocol-version': protocolVersion }),
    },
  });
}
