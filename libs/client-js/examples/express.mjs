import { Countersign } from '@countersign/client';
import { guardRequests } from '@countersign/client/express';
import express from 'express';

const countersign = new Countersign({
  apiKey: process.env.COUNTERSIGN_API_KEY,
  agentId: process.env.COUNTERSIGN_AGENT_ID,
  baseUrl: process.env.COUNTERSIGN_BASE_URL,
});
const app = express();
app.use(express.json());
const guard = guardRequests(countersign, {
  action: ({ body }) => ({ actionType: 'refund', estimatedCost: body.usd, payload: body }),
  // agentId: (request) => request.user.agentId, where each caller is an agent of its own
});
app.post('/refunds', guard, (request, response) => response.json({ paid: request.body.usd }));

const server = app.listen(0, '127.0.0.1', async () => {
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/refunds`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order: '17', usd: 40 }),
  });
  console.log(answer.status, await answer.text());
  server.close();
});
