import { Controller, Inject } from '@nestjs/common';
import { mcpRoutes } from '@countersign/contracts';
import { HttpAnswer } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { ApiKeyCaller, RouteInput } from '@countersign/http-edge';
import type { Conversation } from '../answer/conversation.js';

export const CONVERSATION = Symbol('conversation');

@Controller()
export class McpController {
  constructor(@Inject(CONVERSATION) private readonly conversation: Conversation) {}

  /** Each request carries its key, so a revoked key is refused at the next message. */
  @HttpRoute(mcpRoutes.mcp)
  async mcp(@Input() { body, headers, caller }: RouteInput<object, unknown, ApiKeyCaller>): Promise<HttpAnswer> {
    const { status, text } = await this.conversation.answer(
      body,
      apiKeyOf(headers),
      caller.powers,
      protocolVersion(headers),
      sessionOf(headers),
    );
    return text === '' ? HttpAnswer.empty(status) : HttpAnswer.text(status, 'application/json', text);
  }
}

/** The key that the edge accepted. */
function apiKeyOf({ 'x-service-key': key, authorization = '' }: RouteInput['headers']): string {
  return typeof key === 'string' ? key : authorization.replace(/^Bearer +/i, '');
}

/** The session id that the caller, or a gateway before this service, sends; checks take at most 200 characters. */
function sessionOf({ 'mcp-session-id': sent }: RouteInput['headers']): string | undefined {
  return typeof sent === 'string' && /^[\x21-\x7e]{1,200}$/.test(sent) ? sent : undefined;
}

function protocolVersion(headers: RouteInput['headers']): string | undefined {
  const sent = headers['mcp-protocol-version'];
  return typeof sent === 'string' ? sent : undefined;
}
