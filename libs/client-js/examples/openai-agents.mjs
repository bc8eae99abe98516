import { Countersign } from '@countersign/client';
import { guardTool } from '@countersign/client/openai-agents';
import { Agent, run, tool as unguarded } from '@openai/agents';
import { z } from 'zod';
import { model } from './models/openai-agents.mjs'; // yours: '…', a model's name

const countersign = new Countersign({
  apiKey: process.env.COUNTERSIGN_API_KEY,
  agentId: process.env.COUNTERSIGN_AGENT_ID,
  baseUrl: process.env.COUNTERSIGN_BASE_URL,
});
const tool = guardTool(countersign, unguarded, { action: ({ input }) => ({ estimatedCost: input.usd }) });
const refund = tool({
  name: 'refund',
  description: 'Pays an order back.',
  parameters: z.object({ order: z.string(), usd: z.number() }),
  execute: ({ order, usd }) => `paid ${usd} USD back for ${order}`,
});

const agent = new Agent({ name: 'Support', instructions: 'Help customers.', model, tools: [refund] });
const { finalOutput } = await run(agent, 'Order 17 arrived broken. Pay it back.');
console.log(finalOutput);
