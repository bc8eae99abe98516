import { randomUUID } from 'node:crypto';
import type { AccountFacts } from '@countersign/contracts';
import { GatewayBench, send } from './gateway.test-setup.js';
import type { Answer } from './gateway.test-setup.js';
import { forgetOnRedis, startOnRedis, withRedis } from './redis-gateways.test-setup.js';
import type { GatewayOnRedis } from './redis-gateways.test-setup.js';

const AT_ONCE = 200;

withRedis('a cap that two gateways share', () => {
  const prefix = `plans-${randomUUID().slice(0, 8)}-`;
  const bench = new GatewayBench();
  let gateways: readonly GatewayOnRedis[];
  let version = 1;
  beforeAll(async () => {
    await bench.open();
    gateways = await Promise.all([startOnRedis(bench.log, prefix), startOnRedis(bench.log, prefix)]);
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await forgetOnRedis(prefix);
    await bench.close();
  });

  /** Through the first gateway's counters, as identity does it: in force for the next check on any gateway. */
  async function put(facts: Partial<AccountFacts>): Promise<void> {
    await bench.putAccount(facts, false);
    await gateways[0]!.counters.raise('account', bench.accountId, (version += 1));
  }

  const check = (n: number, headers: object = {}): Promise<Answer> =>
    send(gateways[n % gateways.length]!.port, {
      headers: { 'x-service-key': bench.key, ...headers },
      body: JSON.stringify({ agentId: bench.agentId, action: { type: 'a' } }),
    });
  const atOnce = (): Promise<readonly Answer[]> => Promise.all(Array.from({ length: AT_ONCE }, (_, n) => check(n)));
  const count = (answers: readonly Answer[], status: number): number =>
    answers.filter((answer) => answer.status === status).length;
  const used = async (): Promise<number> => (await gateways[1]!.counters.usage(bench.accountId)).actionsEver;

  const CAPPED: readonly { plan: string; status: number; code: string; facts: Partial<AccountFacts> }[] = [
    { plan: 'a paid plan', status: 429, code: 'plan_action_cap', facts: { plan: 'core' } },
    {
      plan: 'a sandbox',
      status: 402,
      code: 'sandbox_action_cap',
      facts: { plan: 'sandbox', sandboxExpiresAt: '2100-01-01T00:00:00.000Z' },
    },
  ];
  it.each(CAPPED)('allows exactly the remaining $plan actions, of 200 concurrent checks', async (capped) => {
    const { status, code, facts } = capped;
    const left = 117;
    const before = await used();
    await put({ ...facts, actionCap: before + left });
    const answers = await atOnce();
    expect([count(answers, 200), count(answers, status)]).toEqual([left, AT_ONCE - left]);
    expect(await used()).toBe(before + left);

    const refused = answers.find((answer) => answer.status === status)!;
    expect(refused.body).toEqual({
      allowed: false,
      reason: expect.any(String),
      severity: 'P3',
      code,
      upgrade_url: 'https://example.com/plans',
    });
    // Both are recorded, and only those that reached the policy count.
    const ids = new Set(answers.map(({ headers }) => headers['x-event-id']));
    const recorded = (await bench.events()).filter(({ leaf }) => ids.has(leaf.eventId));
    expect(new Set(recorded.map(({ leaf }) => leaf.eventId)).size).toBe(AT_ONCE);
    expect(recorded.filter(({ countsAction }) => countsAction)).toHaveLength(left);
    expect(recorded.filter(({ leaf }) => leaf.outcome === 'action_cap')).toHaveLength(AT_ONCE - left);
  });

  it('counts denials, and neither replays nor refusals', async () => {
    const agentId = randomUUID();
    await bench.putAgent(agentId, { off_limits_actions: ['a'] }, {}, false);
    await gateways[0]!.counters.raise('agent', agentId, 1);
    const before = await used();
    await put({ plan: 'core', actionCap: before + 3 });
    const twin = { 'idempotency-key': randomUUID() };
    const twins = await Promise.all(Array.from({ length: 20 }, (_, n) => check(n, twin)));
    expect([count(twins, 200), await used()]).toEqual([20, before + 1]);
    const denied = await Promise.all(
      [0, 1, 2].map((n) =>
        send(gateways[n % 2]!.port, {
          headers: { 'x-service-key': bench.key },
          body: JSON.stringify({ agentId, action: { type: 'a' } }),
        }),
      ),
    );
    expect(denied.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    expect(await used()).toBe(before + 3);
    // A replay is not an action: the cap does not affect it.
    expect((await check(1, twin)).text).toBe(twins[0]!.text);
  });

  it('follows the newest plan with the very next check of each gateway', async () => {
    for (let round = 0; round < 5; round += 1) {
      await put({ plan: 'core', actionCap: await used() });
      expect([(await check(0)).status, (await check(1)).status]).toEqual([429, 429]);
      await put({ plan: 'core', actionCap: (await used()) + 1 });
      expect([(await check(1)).status, (await check(0)).status]).toEqual([200, 429]);
      await put({ plan: 'sandbox', actionCap: null, sandboxExpiresAt: '2020-01-01T00:00:00.000Z' });
      const expired = await Promise.all([check(0), check(1)]);
      expect(expired.map(({ body }) => (body as { code: string }).code)).toEqual([
        'sandbox_expired',
        'sandbox_expired',
      ]);
      await put({ plan: 'enterprise', actionCap: null });
      expect((await check(0)).status).toBe(200);
    }
  });
});
