import { Countersign } from '@countersign/client';
import { guardTools } from '@countersign/client/ai-sdk';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';
import { model } from './models/ai-sdk.mjs'; // yours: openai('…')

const countersign = new Countersign({
  apiKey: process.env.COUNTERSIGN_API_KEY,
  agentId: process.env.COUNTERSIGN_AGENT_ID,
  baseUrl: process.env.COUNTERSIGN_BASE_URL,
});
const refund = tool({
  description: 'Pays an order back.',
  inputSchema: z.object({ order: z.string(), usd: z.number() }),
  execute: ({ order, usd }) => `paid ${usd} USD back for ${order}`,
});

const { text } = await generateText({
  model,
  tools: guardTools(countersign, { refund }, { action: ({ input }) => ({ estimatedCost: input.usd }) }),
  stopWhen: stepCountIs(5),
  prompt: 'Order 17 arrived broken. Pay it back.',
});
console.log(text);
