import { exceededLimit } from '../rule-findings.js';
import { START } from './counters.test-setup.js';
import type { CountersBench } from './counters.test-setup.js';
import { amountOf, limitOf, ruleTripOf } from './rule-trips.test-setup.js';

const SECRET = { id: 'secret', key: 'session' };
const read = ruleTripOf({ facts: [SECRET], sets: [{ fact: 0, ttlSeconds: 60, on: 'allowed' }] });

/** Facts and limits that are read without a check. */
export function balancesContract(bench: CountersBench): void {
  const { judge } = bench;

  describe('the balances of rules', () => {
    const facts = [SECRET, { id: 'other', key: 'session' }];
    const windows = [
      { key: 'key', windowSeconds: 10 },
      { key: 'sum', windowSeconds: 3600 },
      { key: 'none', windowSeconds: 10 },
    ];
    const ask = () => bench.counters.ruleBalances('agent', { facts, limits: windows, most: 1000 });

    it('are those that a check would see, and reading them changes nothing', async () => {
      const none = { consumed: amountOf('0'), oldestMs: null };
      expect(await ask()).toEqual({ facts: [null, null], unknownUntilMs: null, limits: [none, none, none] });
      const sum = { id: 'sum', key: 'sum', windowSeconds: 3600, unit: 'sum', max: amountOf('100') } as const;
      for (const [at, amount] of [
        [0, '1.5'],
        [4000, '2.000000001'],
        [9000, '0.9'],
      ] as const) {
        bench.nowMs = START + at;
        await judge({
          rules: { ...read, limits: [limitOf({ max: amountOf('9') }), limitOf({ ...sum, amount: amountOf(amount) })] },
        });
      }
      for (let n = 0; n < 3; n++) {
        expect(await ask()).toEqual({
          facts: [START + 69_000, null],
          unknownUntilMs: null,
          limits: [
            { consumed: amountOf('3'), oldestMs: START },
            { consumed: amountOf('4.400000001'), oldestMs: START },
            none,
          ],
        });
      }
      bench.nowMs = START + 14_000;
      const { limits } = await ask();
      expect(limits[0]).toEqual({ consumed: amountOf('1'), oldestMs: START + 9000 });
      const narrow = { facts: [], limits: [{ key: 'sum', windowSeconds: 6 }], most: 1000 };
      expect((await bench.counters.ruleBalances('agent', narrow)).limits).toEqual([
        { consumed: amountOf('0.9'), oldestMs: START + 9000 },
      ]);
      const { seen } = await judge({ rules: ruleTripOf({ facts, limits: [limitOf(), limitOf(sum)] }) });
      expect(seen).toMatchObject({ facts: ['secret'], limits: { limit: '1', sum: '4.400000001' } });
      bench.nowMs = START + 69_000;
      expect((await ask()).facts).toEqual([null, null]);
    });

    it('deny by the words of a check', async () => {
      const limits = [limitOf({ max: amountOf('2') })];
      for (let n = 0; n < 2; n++) await judge({ rules: ruleTripOf({ limits }) });
      const { limits: balances } = await bench.counters.ruleBalances('agent', { facts: [], limits, most: 1000 });
      const { violation } = await judge({ rules: ruleTripOf({ limits }) });
      expect(exceededLimit(limits[0]!, balances[0]!)).toEqual(violation);
      expect(exceededLimit(limitOf({ amount: amountOf('0') }), balances[0]!)).toBeNull();
      expect(exceededLimit(limitOf(), balances[0]!)).toBeNull();
    });

    it('of many amounts outside the window are read without them', async () => {
      const limit = limitOf({ max: amountOf('1000'), windowSeconds: 3600 });
      for (let n = 0; n < 250; n++) {
        bench.nowMs = START + n;
        await judge({ rules: ruleTripOf({ limits: [limit] }) });
      }
      const none = { consumed: amountOf('0'), oldestMs: null };
      const balance = async (seconds: number, most = 1000) => {
        const windows = [{ key: 'key', windowSeconds: seconds }, limitOf({ key: 'none' })];
        const { limits } = await bench.counters.ruleBalances('agent', { facts: [], limits: windows, most });
        expect(limits[1]).toEqual(none);
        return limits[0];
      };
      bench.nowMs = START + 1240;
      expect(await balance(1)).toEqual({ consumed: amountOf('9'), oldestMs: START + 241 });
      expect(await balance(1, 100)).toBeNull();
      bench.nowMs = START + 1249;
      for (const most of [1000, 100]) expect(await balance(1, most)).toEqual(none);
      expect(await balance(3600, 0)).toEqual({ consumed: amountOf('250'), oldestMs: START });
    });
  });
}
