import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Logger } from 'pino';
import type { ApiKeyPowers } from '@countersign/contracts';
import { hasOneOf } from '@countersign/service-kit';
import { callTool } from '../tools/call-tool.js';
import { TOOLS } from '../tools/tools.js';
import type { Api } from './api.js';

const INSTRUCTIONS =
  'Ask check_action before you act, with the id of your agent, and act only where it says allowed: true. A denial says why, and what to do instead. ' +
  'Then report with log_action what became of it. scan_output judges a text before you send it.';

const INFO = { name: 'countersign', title: 'Countersign', version: '1.0.0' };

export interface Reply {
  readonly status: number;
  /** JSON; empty where nothing was asked. */
  readonly text: string;
}

/** Answers the messages of one request, each by itself: there is no session, so any instance may answer any of them. */
export class Conversation {
  constructor(
    private readonly api: Pick<Api, 'ask'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /**
   * @param message a JSON-RPC message, or several
   * @param powers of the key: it is shown the tools that it may use
   */
  async answer(
    message: object,
    apiKey: string,
    powers: Pick<ApiKeyPowers, 'rights'>,
    protocolVersion: string | undefined,
  ): Promise<Reply> {
    const { WebStandardStreamableHTTPServerTransport } =
      await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js');
    const server = await this.#server(apiKey, powers);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    transport.onerror = (error) => this.log.warn({ err: error }, 'a message of the tool protocol was refused');
    try {
      // The types of the transport ask for callbacks that may be undefined.
      await server.connect(transport);
      const answer = await transport.handleRequest(requestOf(protocolVersion), { parsedBody: message });
      return { status: answer.status, text: await answer.text() };
    } finally {
      await server.close();
    }
  }

  async #server(apiKey: string, powers: Pick<ApiKeyPowers, 'rights'>): Promise<Server> {
    const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
    const { CallToolRequestSchema, CancelledNotificationSchema, ListToolsRequestSchema } =
      await import('@modelcontextprotocol/sdk/types.js');
    const server = new Server(INFO, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
    // One that is cancelled would never be answered, nor what stands beside it: the request would wait for ever.
    server.setNotificationHandler(CancelledNotificationSchema, () => undefined);
    const shown = TOOLS.filter(({ rights }) => hasOneOf(powers, rights)).map((tool) => tool.shown);
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: shown }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
      callTool(params.name, params.arguments ?? {}, (path, body) => this.api.ask(path, body, apiKey)),
    );
    return server;
  }
}

/** What the caller accepts is not asked: the answer is JSON in any case. */
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
