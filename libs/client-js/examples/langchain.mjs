import { Countersign } from '@countersign/client';
import { guardTools } from '@countersign/client/langchain';
import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { model } from './models/langchain.mjs'; // yours: new ChatOpenAI({ model: '…' })

const countersign = new Countersign({
  apiKey: process.env.COUNTERSIGN_API_KEY,
  agentId: process.env.COUNTERSIGN_AGENT_ID,
  baseUrl: process.env.COUNTERSIGN_BASE_URL,
});
const refund = tool(({ order, usd }) => `paid ${usd} USD back for ${order}`, {
  name: 'refund',
  description: 'Pays an order back.',
  schema: z.object({ order: z.string(), usd: z.number() }),
});
const tools = guardTools(countersign, [refund], { action: ({ input }) => ({ estimatedCost: input.usd }) });

// What createAgent of langchain does; it takes these tools as well.
const messages = [new HumanMessage('Order 17 arrived broken. Pay it back.')];
for (;;) {
  const said = await model.bindTools(tools).invoke(messages);
  messages.push(said);
  if (said.tool_calls.length === 0) break;
  for (const call of said.tool_calls) {
    messages.push(await tools.find(({ name }) => name === call.name).invoke({ ...call, type: 'tool_call' }));
  }
}
console.log(messages.at(-1).text);
