import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Countersign } from '@countersign/client';
import { guardTool } from '@countersign/client/openai-agents';
import { Agent, run, RunState, tool as unguarded } from '@openai/agents';
import { z } from 'zod';
import { model } from './models/openai-agents.mjs'; // yours: '…', a model's name

const countersign = new Countersign({
  apiKey: process.env.COUNTERSIGN_API_KEY,
  agentId: process.env.COUNTERSIGN_AGENT_ID,
  baseUrl: process.env.COUNTERSIGN_BASE_URL,
});
const interrupt = ({ toolName, approvalUrl }) => console.log(`${toolName} waits: decide at ${approvalUrl}`);
const tool = guardTool(countersign, unguarded, { interrupt });
const refund = tool({
  name: 'refund',
  description: 'Pays an order back.',
  parameters: z.object({ order: z.string(), usd: z.number() }),
  execute: ({ order, usd }) => `paid ${usd} USD back for ${order}`,
});
const agent = new Agent({ name: 'Support', instructions: 'Help customers.', model, tools: [refund] });

let result = await run(agent, 'Order 17 arrived broken. Pay it back.');
const input = createInterface({ input: process.stdin });
while (result.interruptions.length > 0) {
  const stored = result.state.toString(); // in your database, until the decision
  await once(input, 'line'); // yours: the webhook approval.decided
  result = await run(agent, await RunState.fromString(agent, stored));
}
input.close();
console.log(result.finalOutput);
