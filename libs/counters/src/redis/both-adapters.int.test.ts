import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { RULE_BOUNDS } from '../port.js';
import type { RuleBounds } from '../port.js';
import { AdapterHistory, BothAdapters, call, pass } from './both-adapters.test-setup.js';
import { removeKeys } from './remove-keys.test-setup.js';

const url = process.env['COUNTERSIGN_TEST_REDIS_URL'];
const withRedis = url === undefined ? describe.skip : describe;
const step = fc.oneof({ weight: 16, arbitrary: call }, { weight: 3, arbitrary: pass });

withRedis('both adapters (needs Redis: COUNTERSIGN_TEST_REDIS_URL)', () => {
  const prefix = `both-${randomBytes(6).toString('hex')}-`;
  afterAll(() => removeKeys(url ?? '', prefix));
  let runs = 0;

  it.each([
    ['', RULE_BOUNDS],
    [', with little room', { agent: 5, all: 1000, window: 3, amounts: 6 }],
  ])(
    'give identical results for any calls%s',
    async (_room, ruleBounds: RuleBounds) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
          const both = new BothAdapters(ruleBounds);
          await both.open(url ?? '', `${prefix}${(runs += 1)}:`);
          const history = new AdapterHistory(both);
          try {
            for (const one of steps) {
              if (typeof one === 'number') both.nowMs += one;
              else await history.run(one);
            }
            await both.same(async (counters) => (await counters.claims()).evicted);
            await history.end();
          } finally {
            await both.close();
          }
        }),
        { numRuns: 60 },
      );
    },
    120_000,
  );
});
