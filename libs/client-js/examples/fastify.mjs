import { Countersign } from '@countersign/client';
import { guardRequests } from '@countersign/client/fastify';
import Fastify from 'fastify';

const countersign = new Countersign({
  apiKey: process.env.COUNTERSIGN_API_KEY,
  agentId: process.env.COUNTERSIGN_AGENT_ID,
  baseUrl: process.env.COUNTERSIGN_BASE_URL,
});
const app = Fastify();
await app.register(
  guardRequests(countersign, {
    action: ({ body }) => ({ actionType: 'refund', estimatedCost: body.usd, payload: body }),
    // agentId: (request) => request.user.agentId, where each caller is an agent of its own
  }),
);
app.post('/refunds', ({ body }) => ({ paid: body.usd }));

const { statusCode, payload } = await app.inject({
  method: 'POST',
  url: '/refunds',
  payload: { order: '17', usd: 40 },
});
console.log(statusCode, payload);
await app.close();
