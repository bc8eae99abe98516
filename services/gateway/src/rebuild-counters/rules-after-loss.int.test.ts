import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { GatewayBench } from '../gateway.test-setup.js';
import { askRedis, forgetOnRedis, startOnRedis, withRedis } from '../redis-gateways.test-setup.js';
import type { GatewayOnRedis } from '../redis-gateways.test-setup.js';
import { RuleHistory } from './rule-histories.test-setup.js';
import type { RuleStep } from './rule-histories.test-setup.js';

const ruleStep: fc.Arbitrary<RuleStep> = fc.record({
  gateway: fc.nat(1),
  session: fc.nat(1),
  customer: fc.nat(2),
  amount: fc.integer({ min: 1, max: 9 }),
  secret: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  sends: fc.boolean(),
  skips: fc.option(fc.nat(3), { freq: 3 }),
});

const part = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const history = fc.record({
  before: fc.array(ruleStep, { minLength: 4, maxLength: 16 }),
  after: fc.array(ruleStep, { minLength: 4, maxLength: 12 }),
  /** Position and row of the agent that were published before the loss; `null`: none of this history. */
  published: fc.option(fc.record({ position: part, ofAgent: part }), { freq: 2 }),
});

/** Runs random histories with one loss of the counters each. */
async function survives(
  numRuns: number,
  make: () => RuleHistory,
  raise: (agentId: string) => Promise<void>,
  lose: () => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(history, async ({ before, after, published }) => {
    const run = make();
    await run.begin(raise);
    const take = async (steps: readonly RuleStep[]) => {
      for (const step of steps) await run.take(step);
    };
    await take(before);
    if (published !== null) await run.publish(published.position, published.ofAgent);
    await lose();
    await take(after);
  });
  await fc.assert(property, { numRuns, endOnFailure: true });
}

describe('facts and limits of a gateway that has lost its counters', () => {
  const bench = new GatewayBench();
  beforeAll(() => bench.open());
  afterAll(() => bench.close());

  it('are those of counters that were never lost, from the log alone and from usage and its tail', async () => {
    const lose = async () => {
      await bench.stop();
      await bench.open();
    };
    const raise = (agentId: string) => bench.gateway.counters.raise('agent', agentId, 1);
    await survives(20, () => new RuleHistory(bench, () => [bench.gateway]), raise, lose);
  }, 120_000);
});

withRedis('facts and limits of two gateways whose Redis has lost its data', () => {
  const prefix = `rules-${randomUUID().slice(0, 8)}-`;
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

  it('are those of counters that were never lost, from the log alone and from usage and its tail', async () => {
    const isReady = () => gateways.every((gateway) => gateway.notReady().length === 0);
    const lose = async () => {
      await askRedis('DEL', `${prefix}cs1:state`);
      while (isReady()) await sleep(5);
      while (!isReady()) await sleep(5);
    };
    const raise = (agentId: string) => gateways[0]!.counters.raise('agent', agentId, 1);
    await survives(12, () => new RuleHistory(bench, () => gateways), raise, lose);
  }, 180_000);
});
