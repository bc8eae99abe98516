import { CountersUnavailable } from '../port.js';
import { START } from './counters.test-setup.js';
import type { CountersBench } from './counters.test-setup.js';

/** Names that may be used once. */
export function onceContract(bench: CountersBench): void {
  const use = (name: string, by: string | null = null, madeMs = START) => bench.counters.useOnce({ name, by, madeMs });

  describe('a name that may be used once', () => {
    it('is used once, and again only by the same one', async () => {
      expect([await use('a'), await use('a'), await use('a', 'key')]).toEqual(['first', 'used', 'used']);
      expect([await use('b', 'key'), await use('b', 'key'), await use('b', 'other')]).toEqual([
        'first',
        'same',
        'used',
      ]);
      expect(await use('b')).toBe('used');
    });

    it('is used by one of many that ask at once, on any gateway', async () => {
      const gateways = [bench.counters, await bench.another(), await bench.another()];
      const uses = Array.from({ length: 60 }, (_, n) =>
        gateways[n % gateways.length]!.useOnce({ name: 'once', by: null, madeMs: START }),
      );
      const all = await Promise.all(uses);
      expect(all.filter((used) => used === 'first')).toHaveLength(1);
      expect(all.filter((used) => used === 'used')).toHaveLength(59);
    });

    it('is unknown where it was made before the counters served', async () => {
      expect([await use('old', null, START - 1), await use('old', null, START)]).toEqual(['unknown', 'first']);
    });

    it('is not used while the counters do not serve', async () => {
      await bench.counters.restore({ accounts: [], agents: [], claims: [], versions: [] });
      await expect(use('c')).rejects.toThrow(CountersUnavailable);
    });
  });
}
