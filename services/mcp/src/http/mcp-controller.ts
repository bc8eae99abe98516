import { Controller, Inject } from '@nestjs/common';
import { mcpRoutes } from '@countersign/contracts';
import { HttpAnswer, HttpRefusal } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { ApiKeyCaller, RouteInput } from '@countersign/http-edge';
import type { Headers } from '../answer/api.js';
import type { Conversation } from '../answer/conversation.js';

export const CONVERSATION = Symbol('conversation');

@Controller()
export class McpController {
  constructor(@Inject(CONVERSATION) private readonly conversation: Conversation) {}

  /** Each request carries its key, so a revoked key is refused at the next message. */
  @HttpRoute(mcpRoutes.mcp)
  async mcp(@Input() { body, headers, caller, sent }: RouteInput<object, unknown, ApiKeyCaller>): Promise<HttpAnswer> {
    const { status, text } = await this.conversation.answer(
      body,
      apiKeyOf(headers),
      caller.powers,
      protocolVersion(headers),
      namedIn(sent.rawHeaders, headers),
    );
    return text === '' ? HttpAnswer.empty(status) : HttpAnswer.text(status, 'application/json', text);
  }
}

/** The key that the edge accepted. */
function apiKeyOf({ 'x-service-key': key, authorization = '' }: RouteInput['headers']): string {
  return typeof key === 'string' ? key : authorization.replace(/^Bearer +/i, '');
}

/** Headers of the request that each of its checks gets. */
const PASSED_ON: readonly string[] = [
  ...['x-countersign-session', 'x-countersign-principal'],
  ...['x-approval-id', 'x-subject-token', 'traceparent'],
];

/**
 * The headers that name session, principal, trace and approval of the checks of a request, and the token that says who asked. The session is that of the tool protocol, unless the caller names one.
 * @throws HttpRefusal 400 for a header that was sent twice: two of them would be read as one name
 */
function namedIn(rawHeaders: readonly string[], headers: RouteInput['headers']): Headers {
  const session = sessionOf(headers);
  const named: Record<string, string> = session === undefined ? {} : { 'x-countersign-session': session };
  const found = new Set<string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!PASSED_ON.includes(name)) continue;
    if (found.has(name)) throw new HttpRefusal(400, `send ${name} once`);
    found.add(name);
    named[name] = rawHeaders[i + 1]!;
  }
  return named;
}

/** The session id that the caller, or a gateway before this service, sends; checks take at most 200 characters. */
function sessionOf({ 'mcp-session-id': sent }: RouteInput['headers']): string | undefined {
  return typeof sent === 'string' && /^[\x21-\x7e]{1,200}$/.test(sent) ? sent : undefined;
}

function protocolVersion(headers: RouteInput['headers']): string | undefined {
  const sent = headers['mcp-protocol-version'];
  return typeof sent === 'string' ? sent : undefined;
}
