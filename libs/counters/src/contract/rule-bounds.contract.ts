import type { RuleTrip } from '../port.js';
import { UNKNOWN_FACTS } from '../rule-trip.js';
import { EMPTY, START, VIOLATION } from './counters.test-setup.js';
import { agentSnapshot, eventOf } from './counters.test-setup.js';
import type { CountersBench } from './counters.test-setup.js';
import { amountOf, limitOf, ruleOf, ruleTripOf, violationOf } from './rule-trips.test-setup.js';

const BOUNDS = { agent: 100, all: 1000, window: 100, amounts: 1000 };
const factsAt = (key: string, on: 'allowed' | 'checked' = 'allowed'): RuleTrip => {
  return ruleTripOf({ facts: [{ id: 'f', key }], sets: [{ fact: 0, ttlSeconds: 10, on }] });
};
const limitAt = (key: string, change: Partial<RuleTrip['limits'][number]> = {}) =>
  ruleTripOf({ limits: [limitOf({ key, max: amountOf('1000'), ...change })] });

/** The bounds of facts and limits, and how both are rebuilt. */
export function ruleBoundsContract(bench: CountersBench): void {
  const { judge, outcomeOf } = bench;

  describe('the bounds of facts and limits', () => {
    it('deny what needs one more fact or window of an agent, until one has expired', async () => {
      await bench.reopen(undefined, { ...BOUNDS, agent: 2 });
      await judge({ rules: factsAt('1') });
      await judge({ rules: limitAt('1') });
      expect(await judge({ rules: factsAt('2') })).toMatchObject({
        outcome: 'denied',
        violation: violationOf('no-room'),
      });
      expect(await judge({ rules: limitAt('2') })).toMatchObject({
        outcome: 'denied',
        violation: { rule: 'limits:limit', detail: 'limit 1000 per 10 s, 0 already counted, no room to count more' },
        limit: { id: 'limit', consumed: '0', resetsAtMs: null },
      });
      expect(await outcomeOf({ rules: limitAt('2', { amount: amountOf('0') }) })).toBe('allowed');
      for (const rules of [factsAt('1'), limitAt('1')]) expect(await outcomeOf({ rules })).toBe('allowed');
      expect(await outcomeOf({ rules: factsAt('2'), agentId: 'other' })).toBe('allowed');
      bench.nowMs = START + 19_999;
      expect(await outcomeOf({ rules: factsAt('2') })).toBe('denied');
      bench.nowMs = START + 20_000;
      for (const rules of [factsAt('2'), limitAt('2')]) expect(await outcomeOf({ rules })).toBe('allowed');
      expect(await outcomeOf({ rules: factsAt('1') })).toBe('denied');
    });

    it('deny what needs one more of all agents together, until those of another have expired', async () => {
      await bench.reopen(undefined, { ...BOUNDS, all: 3 });
      await judge({ rules: factsAt('1'), agentId: 'a' });
      await judge({ rules: limitAt('1'), agentId: 'a' });
      bench.nowMs += 5000;
      await judge({ rules: factsAt('1'), agentId: 'b' });
      expect(await outcomeOf({ rules: factsAt('1'), agentId: 'c' })).toBe('denied');
      expect(await outcomeOf({ rules: factsAt('1'), agentId: 'a' })).toBe('allowed');
      expect(await outcomeOf({ rules: limitAt('2'), agentId: 'b' })).toBe('denied');
      bench.nowMs = START + 24_999;
      expect(await outcomeOf({ rules: factsAt('2'), agentId: 'a' })).toBe('allowed');
      bench.nowMs = START + 50_000;
      for (const agentId of ['c', 'd', 'e']) expect(await outcomeOf({ rules: factsAt('1'), agentId })).toBe('allowed');
      expect(await outcomeOf({ rules: factsAt('1'), agentId: 'f' })).toBe('denied');
    });

    it('deny one more amount in a window and of an agent, and do not count it for an observed limit', async () => {
      await bench.reopen(undefined, { ...BOUNDS, window: 2, amounts: 3 });
      for (let n = 0; n < 2; n++) expect(await outcomeOf({ rules: limitAt('1') })).toBe('allowed');
      bench.nowMs += 1;
      const full = await judge({ rules: limitAt('1') });
      expect(full.limit).toEqual({ id: 'limit', consumed: '2', resetsAtMs: START + 10_000 });
      const watched = await judge({ rules: limitAt('1', { observe: true }) });
      expect(watched).toMatchObject({ outcome: 'allowed', violation: { rule: 'limits:limit' } });
      expect(watched.ruleCounts).toBeUndefined();
      expect((await judge({ rules: limitAt('2') })).outcome).toBe('allowed');
      expect((await judge({ rules: limitAt('2') })).limit?.consumed).toBe('1');
      bench.nowMs = START + 10_000;
      // What has left a window makes room for others once that window is read.
      expect(await outcomeOf({ rules: limitAt('1') })).toBe('allowed');
      expect(await outcomeOf({ rules: limitAt('2') })).toBe('allowed');
    });

    it('deny all that concerns facts, where a fact had to be set and there was no room', async () => {
      await bench.reopen(undefined, { ...BOUNDS, agent: 1 });
      await judge({ rules: factsAt('1') });
      bench.nowMs += 1000;
      await judge({ rules: factsAt('2', 'checked'), violation: VIOLATION });
      const reads = ruleTripOf({ facts: [{ id: 'f', key: '2' }], conditional: [ruleOf({ facts: [0], truth: 0b10 })] });
      expect((await judge({ rules: reads })).violation).toEqual(violationOf('no-room'));
      expect(await outcomeOf({ rules: limitAt('1', { amount: amountOf('0') }) })).toBe('allowed');
      expect(await outcomeOf({ rules: reads, agentId: 'other' })).toBe('allowed');
      bench.nowMs = START + 10_999;
      expect(await outcomeOf({ rules: reads })).toBe('denied');
      bench.nowMs = START + 11_000;
      expect(await outcomeOf({ rules: reads })).toBe('allowed');
    });
  });

  describe('facts that are unknown for want of room', () => {
    const reads = ruleTripOf({ facts: [{ id: 'f', key: '2' }], conditional: [ruleOf({ facts: [0], truth: 0b10 })] });
    const denied = async (atMs: number): Promise<unknown> => {
      bench.nowMs = atMs;
      return (await judge({ rules: reads })).violation;
    };

    it.each(['tail', 'snapshot'] as const)('stay unknown after a rebuild from the %s, for as long', async (from) => {
      await bench.reopen(undefined, { ...BOUNDS, agent: 1 });
      await judge({ rules: factsAt('1') });
      const { ruleCounts } = await judge({ rules: factsAt('2', 'checked'), violation: VIOLATION });
      expect(ruleCounts).toEqual({ facts: [{ ...UNKNOWN_FACTS, expiresAtMs: START + 10_000 }], limits: [] });
      const { counters, cleanup } = await bench.open({ clock: () => bench.nowMs });
      try {
        const facts = ruleCounts!.facts.map((fact) => ({ ...fact, order: 2 }));
        const agents = from === 'snapshot' ? [agentSnapshot({ order: 2, rules: { facts, limits: [] } })] : [];
        await counters.restore({ ...EMPTY, agents });
        if (from === 'tail') {
          await counters.replay([eventOf({ occurredAtMs: START, order: 2, ruleCounts: ruleCounts! })]);
        }
        await counters.serve();
        bench.counters = counters;
        expect(await denied(START + 9999)).toEqual(violationOf('no-room'));
        expect(await denied(START + 10_000)).toBeNull();
      } finally {
        await cleanup();
      }
    });
  });

  describe('facts and limits after a rebuild', () => {
    const one = amountOf('1');
    const counted = (key: string) => ({ key, windowSeconds: 10, amount: one, reserve: true });
    const reads = ruleTripOf({
      facts: ['early', 'late', 'over'].map((id) => ({ id, key: '' })),
      limits: ['snapshot', 'tail', 'returned'].map((key) => limitOf({ id: key, key, amount: amountOf('0') })),
    });

    it('are those of the snapshot and the tail, less what the tail gives back', async () => {
      const { counters, cleanup } = await bench.open({ clock: () => bench.nowMs });
      try {
        const fact = (id: string, expiresAtMs: number) => ({ id, key: '', expiresAtMs });
        const held = (key: string, order: number, atMs: number) => ({ key, order, atMs, amount: one });
        await counters.restore({
          ...EMPTY,
          agents: [
            agentSnapshot({
              order: 4,
              rules: {
                facts: [
                  { ...fact('early', START + 5000), order: 2 },
                  { ...fact('over', START), order: 1 },
                ],
                limits: [
                  { ...held('snapshot', 4, START - 1000), windowSeconds: 10 },
                  { ...held('snapshot', 1, START - 10_000), windowSeconds: 10 },
                  { ...held('returned', 3, START - 2000), windowSeconds: 10 },
                ],
              },
            }),
          ],
        });
        const check = eventOf({
          eventId: 'check',
          occurredAtMs: START - 500,
          order: 6,
          ruleCounts: { facts: [fact('late', START + 9000)], limits: [counted('tail'), counted('returned')] },
        });
        const none = { countsAction: false, occurredAtMs: START - 100 };
        const outcome = (eventId: string, order: number, atMs: number) =>
          eventOf({ ...none, eventId, givesBack: [held('returned', order, atMs)] });
        await counters.replay([check, outcome('a', 3, START - 2000)]);
        await counters.replay([check, outcome('b', 6, START - 500), outcome('c', 6, START - 500)]);
        await counters.serve();
        bench.counters = counters;
        expect((await judge({ rules: reads })).seen).toMatchObject({
          order: 7,
          facts: ['early', 'late'],
          limits: { snapshot: '1', tail: '1', returned: '0' },
        });
        bench.nowMs = START + 9000;
        expect((await judge({ rules: reads })).seen).toMatchObject({
          order: 8,
          facts: [],
          limits: { snapshot: '0', tail: '1', returned: '0' },
        });
        await counters.restore({ ...EMPTY, agents: [agentSnapshot({ order: 2 })] });
        await counters.serve();
        expect((await judge({ rules: reads })).seen).toMatchObject({ order: 3, limits: { tail: '0' } });
      } finally {
        await cleanup();
      }
    });

    it('are forgotten when it begins from zero', async () => {
      const { counters, cleanup } = await bench.open({ clock: () => bench.nowMs });
      try {
        const ruleCounts = { facts: [{ id: 'early', key: '', expiresAtMs: START + 5000 }], limits: [counted('tail')] };
        await counters.replay([eventOf({ order: 9, ruleCounts })]);
        expect(await counters.beginRebuild()).not.toBeNull();
        await counters.replay([eventOf({ order: 2 })]);
        await counters.serve();
        bench.counters = counters;
        expect((await judge({ rules: reads })).seen).toMatchObject({ order: 3, facts: [], limits: { tail: '0' } });
        await expect(judge({ rules: factsAt('1') })).resolves.toMatchObject({ outcome: 'allowed' });
        await counters.restore(EMPTY);
        await expect(counters.giveBackHeld('agent', [])).rejects.toMatchObject({ name: 'CountersUnavailable' });
      } finally {
        await cleanup();
      }
    });
  });
}
