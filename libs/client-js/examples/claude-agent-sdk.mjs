import { query } from '@anthropic-ai/claude-agent-sdk';
import { Countersign } from '@countersign/client';
import { guardHooks } from '@countersign/client/claude-agent-sdk';

const countersign = new Countersign({
  apiKey: process.env.COUNTERSIGN_API_KEY,
  agentId: process.env.COUNTERSIGN_AGENT_ID,
  baseUrl: process.env.COUNTERSIGN_BASE_URL,
});
const options = { allowedTools: ['Read', 'Bash'], hooks: guardHooks(countersign) };

for await (const message of query({ prompt: 'What does notes.txt say? Then remove it.', options })) {
  if (message.type !== 'assistant') continue;
  for (const block of message.message.content) if (block.type === 'text') console.log(block.text);
}
