import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { mintApiKey } from '@countersign/process';
import { GatewayBench, send } from '../gateway.test-setup.js';
import type { Answer } from '../gateway.test-setup.js';
import { agentKeyOf, RFC_KEY, signed } from '../signature/sign.test-setup.js';
import { askRedis, forgetOnRedis, startOnRedis, withRedis } from '../redis-gateways.test-setup.js';
import type { GatewayOnRedis } from '../redis-gateways.test-setup.js';

withRedis('two gateways on one Redis', () => {
  const prefix = `gateways-${randomUUID().slice(0, 8)}-`;
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

  const check = (gateway: GatewayOnRedis, agentId: string, key = bench.key, headers: object = {}): Promise<Answer> =>
    send(gateway.port, {
      headers: { 'x-service-key': key, ...headers },
      body: JSON.stringify({ agentId, action: { type: 'a', estimatedCost: 0.5 } }),
    });

  it('obey a freeze, a new profile and a revoked key with the very next check, on any gateway', async () => {
    for (const [n, gateway] of gateways.entries()) {
      const other = gateways[1 - n]!;
      const [frozen, changed, keyId] = [randomUUID(), randomUUID(), randomUUID()];
      const key = mintApiKey((bytes) => randomBytes(bytes));
      await bench.putKey(keyId, key, {}, false);
      await gateway.counters.raise('api-key', keyId, 1);
      for (const agent of [frozen, changed]) {
        await bench.putAgent(agent, {}, {}, false);
        await gateway.counters.raise('agent', agent, 1);
        expect(await check(other, agent)).toMatchObject({ status: 200, body: { allowed: true } });
      }
      await bench.putAgent(frozen, {}, { status: 'frozen' }, false);
      await gateway.counters.raise('agent', frozen, 2);
      await gateway.counters.freeze(frozen, await gateway.counters.now());
      expect((await check(other, frozen)).body).toMatchObject({ allowed: false });
      await bench.putAgent(changed, { spending_limit: 0.1, spending_window: 'action' }, {}, false);
      await gateway.counters.raise('agent', changed, 2);
      expect((await check(other, changed)).body).toMatchObject({ allowed: false });
      while ((await check(other, changed, key)).status !== 200) await sleep(10);
      await bench.putKey(keyId, key, { revokedAt: new Date().toISOString() }, false);
      await gateway.counters.raise('api-key', keyId, 2);
      expect((await check(other, changed, key)).status).toBe(401);
    }
  });

  it('take a nonce once between them, and again with its Idempotency-Key', async () => {
    const agent = randomUUID();
    await bench.putAgent(agent, {}, { signing: { required: true, keys: [agentKeyOf(RFC_KEY, 'k')] } }, false);
    await gateways[0]!.counters.raise('agent', agent, 1);
    const body = JSON.stringify({ agentId: agent, action: { type: 'a' } });
    const sign = (headers = {}) => signed({ key: RFC_KEY, keyId: 'k', body, headers });
    const ask = (n: number, headers: Record<string, string>) =>
      send(gateways[n % 2]!.port, { headers: { 'x-service-key': bench.key, ...headers }, body });
    // Signatures that were made in the second in which the counters began to serve are refused.
    while ((await ask(0, sign())).status === 503) await sleep(50);
    const once = sign();
    const statuses = (await Promise.all([0, 1, 2, 3, 4, 5].map((n) => ask(n, once)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 401, 401, 401, 401, 401]);
    const keyed = sign({ 'idempotency-key': randomUUID() });
    const answers = [await ask(0, keyed), await ask(1, keyed)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]!.headers['x-event-id']).toBe(answers[0]!.headers['x-event-id']);
  });

  it('return 503 when Redis has lost its data, and count exactly what is in the log afterwards', async () => {
    const agent = randomUUID();
    await bench.putAgent(agent, {}, {}, false);
    await gateways[0]!.counters.raise('agent', agent, 1);
    let running = true;
    const answers: Answer[] = [];
    const client = async (gateway: GatewayOnRedis, n: number) => {
      for (let i = 0; running; i += 1) {
        const idempotency = i % 3 === 0 ? { 'idempotency-key': `${n}-${i}` } : {};
        const answer = await check(gateway, agent, bench.key, idempotency);
        answers.push(answer);
        if (answer.status === 503) await sleep(20);
      }
    };
    const clients = [0, 1, 2, 3, 4, 5].map((n) => client(gateways[n % 2]!, n));
    await sleep(400);
    await askRedis('DEL', `${prefix}cs1:state`);
    await sleep(200);
    expect(gateways.flatMap((gateway) => gateway.notReady()).join()).toContain('counters');
    while (gateways.some((gateway) => gateway.notReady().length > 0)) await sleep(20);
    await sleep(400);
    running = false;
    await Promise.all(clients);
    const events = new Map((await bench.events()).map((event) => [event.leaf.eventId, event]));
    const counted = [...events.values()].filter(({ countsAction }) => countsAction).length;
    for (const { counters } of gateways) {
      expect((await counters.usage(bench.accountId)).actionsEver).toBe(counted);
    }
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 503]);
    for (const { status, headers } of answers) {
      if (status === 200) expect(events.has(String(headers['x-event-id']))).toBe(true);
    }
  });
});
