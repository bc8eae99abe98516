import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { countersModelContract } from '../counters-model.contract.js';
import { InProcessCounters } from '../in-process/in-process-counters.js';
import { AdapterHistory, BothAdapters, call, pass } from './both-adapters.test-setup.js';
import { removeKeys } from './remove-keys.test-setup.js';

const url = process.env['COUNTERSIGN_TEST_REDIS_URL'];
const withRedis = url === undefined ? describe.skip : describe;
/** 100,000 take an hour. */
const HISTORIES = Number(process.env['COUNTERSIGN_TEST_HISTORIES'] ?? 5_000);
/** Histories at a time: their calls share the ticks of one connection. */
const AT_A_TIME = 50;
const CALLS = 20;

withRedis('both adapters in many histories (needs Redis: COUNTERSIGN_TEST_REDIS_URL)', () => {
  const prefix = `many-${randomBytes(6).toString('hex')}-`;
  afterAll(() => removeKeys(url ?? '', prefix));

  it('give identical results for any calls', async () => {
    let runs = 0;
    const calls = fc.array(call, { minLength: CALLS, maxLength: CALLS });
    const histories = fc.array(calls, { minLength: AT_A_TIME, maxLength: AT_A_TIME });
    const passes = fc.array(fc.oneof(fc.constant(0), pass), { minLength: CALLS, maxLength: CALLS });
    await fc.assert(
      fc.asyncProperty(histories, passes, async (all, times) => {
        const both = new BothAdapters({ agent: 5, all: 1_000_000, window: 3, amounts: 6 });
        await both.open(url ?? '', `${prefix}${(runs += 1)}:`);
        const running = all.map((_calls, index) => new AdapterHistory(both, ` ${index}`));
        try {
          for (const [at, ms] of times.entries()) {
            both.nowMs += ms;
            await Promise.all(running.map((history, index) => history.run(all[index]![at]!)));
          }
          await Promise.all(running.map((history) => history.end()));
        } finally {
          await both.close();
          await removeKeys(url ?? '', `${prefix}${runs}:`);
        }
      }),
      { numRuns: HISTORIES / AT_A_TIME, endOnFailure: true },
    );
  }, 3_600_000);
});

countersModelContract(
  'in process, in many histories',
  async ({ clock }) => {
    const counters = new InProcessCounters({ clock: { now: clock, notBefore: () => undefined } });
    return { counters, another: async () => counters, cleanup: () => counters.close() };
  },
  HISTORIES,
);
