import type { DynamicModule } from '@nestjs/common';
import { mcpRoutes } from '@countersign/contracts';
import { ConfigurationError } from '@countersign/process';
import { ownAddress, ownFetch } from '@countersign/service-kit';
import type { RunningService, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { Api } from './answer/api.js';
import { Conversation } from './answer/conversation.js';
import { CONVERSATION, McpController } from './http/mcp-controller.js';

/** The hosted MCP server: routes of the API as tools for models. */
export const definition: ServiceDefinition = {
  name: 'mcp',
  routes: Object.values(mcpRoutes),
  reads: [],
  writes: [],
  after: [],
  start,
};

class McpModule {}

async function start(context: ServiceContext): Promise<RunningService> {
  const { apiUrl } = context.config;
  if (apiUrl === null && context.alone) {
    throw new ConfigurationError([
      'COUNTERSIGN_API_URL is missing: where mcp reaches gateway, policy and audit-log, which run in other processes',
    ]);
  }
  const api = new Api(() => apiUrl ?? ownAddress(context.config, () => context.publicUrl()), ownFetch(context.config));
  const module: DynamicModule = {
    module: McpModule,
    controllers: [McpController],
    providers: [{ provide: CONVERSATION, useValue: new Conversation(api, context.log) }],
  };
  return { module, notReady: () => [], stop: async () => undefined };
}
