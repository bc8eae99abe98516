import { Countersign } from '@countersign/client';
import { guardHooks } from '@countersign/client/mastra';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { model } from './models/ai-sdk.mjs'; // yours: 'openai/…'

const countersign = new Countersign({
  apiKey: process.env.COUNTERSIGN_API_KEY,
  agentId: process.env.COUNTERSIGN_AGENT_ID,
  baseUrl: process.env.COUNTERSIGN_BASE_URL,
});
const refund = createTool({
  id: 'refund',
  description: 'Pays an order back.',
  inputSchema: z.object({ order: z.string(), usd: z.number() }),
  execute: async ({ order, usd }) => `paid ${usd} USD back for ${order}`,
});

const agent = new Agent({
  id: 'clerk',
  name: 'clerk',
  instructions: 'You pay orders back.',
  model,
  tools: { refund },
  hooks: guardHooks(countersign, { action: ({ input }) => ({ estimatedCost: input.usd }) }),
});
const { text } = await agent.generate('Order 17 arrived broken. Pay it back.');
console.log(text);
