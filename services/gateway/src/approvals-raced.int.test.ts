import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decisionOf, requestOf } from './approvals.test-setup.js';
import { GatewayBench, send } from './gateway.test-setup.js';
import type { Answer } from './gateway.test-setup.js';
import { askRedis, forgetOnRedis, startOnRedis, withRedis } from './redis-gateways.test-setup.js';
import type { GatewayOnRedis } from './redis-gateways.test-setup.js';

withRedis('an approval, at two gateways on one Redis', () => {
  const prefix = `approvals-${randomUUID().slice(0, 8)}-`;
  const bench = new GatewayBench();
  let gateways: readonly GatewayOnRedis[];
  beforeAll(async () => {
    await bench.open();
    gateways = await Promise.all([startOnRedis(bench.log, prefix), startOnRedis(bench.log, prefix)]);
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await forgetOnRedis(prefix);
    await bench.close();
  });

  const check = (n: number, agentId: string, headers: object = {}): Promise<Answer> =>
    send(gateways[n % 2]!.port, {
      headers: { 'x-service-key': bench.key, ...headers },
      body: JSON.stringify({ agentId, action: { type: 'tool_use', tool_name: 'wire', payload: { amount: 100 } } }),
    });
  const approved = async (): Promise<string> => {
    const agentId = randomUUID();
    await bench.putAgent(agentId, { rules: [{ id: 'wire', tools: ['wire'], effect: 'approve' }] }, {}, false);
    await gateways[0]!.counters.raise('agent', agentId, 1);
    expect((await check(0, agentId)).body).toMatchObject({ code: 'approval_pending' });
    const request = requestOf((await bench.events()).at(-1)!);
    expect((await check(1, agentId)).body).toMatchObject({ approval_id: request.id });
    await bench.log.append([decisionOf(bench.accountId, agentId, request)]);
    await sleep(500);
    return agentId;
  };
  const allowed = (answers: readonly Answer[]) => answers.filter(({ text }) => text === '{"allowed":true}');

  it('lets one of a hundred racing retries pass, each with a key of its own', async () => {
    const agentId = await approved();
    const retries = Array.from({ length: 100 }, (_, n) => check(n, agentId, { 'idempotency-key': `${agentId}-${n}` }));
    const answers = await Promise.all(retries);
    expect(allowed(answers)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const used = (await bench.events()).flatMap(({ leaf, approvals = [] }) =>
      leaf.agentId === agentId ? approvals.filter(({ state }) => state === 'consumed') : [],
    );
    expect(used).toHaveLength(1);
  });

  it('is neither lost nor doubled where Redis loses everything between the decision and the retry', async () => {
    const [given, used] = [await approved(), await approved()];
    expect((await check(0, used)).body).toEqual({ allowed: true });
    await askRedis('DEL', `${prefix}cs1:state`);
    await sleep(300);
    while (gateways.some((gateway) => gateway.notReady().length > 0)) await sleep(20);
    await sleep(500);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => check(n, given)));
    expect(allowed(answers)).toHaveLength(1);
    expect((await check(1, used)).body).toMatchObject({ code: 'approval_pending' });
  });
});
