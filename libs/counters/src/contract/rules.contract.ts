import type { CheckTrip, CheckTripResult, RuleTrip } from '../port.js';
import { keyed, START, tripOf, VIOLATION } from './counters.test-setup.js';
import { MOST_FACTS } from '../rule-trip.js';
import type { CountersBench } from './counters.test-setup.js';
import { amountOf, limitOf, ruleOf, ruleTripOf, violationOf } from './rule-trips.test-setup.js';

const SECRET = { id: 'secret', key: 'session' };
const read = ruleTripOf({ facts: [SECRET], sets: [{ fact: 0, ttlSeconds: 60, on: 'allowed' }] });
/** Denied while the secret was read. */
const send = ruleTripOf({ facts: [SECRET], conditional: [ruleOf({ facts: [0], truth: 0b10 })] });
const limited = (...limits: Partial<RuleTrip['limits'][number]>[]) => ({
  rules: ruleTripOf({ limits: limits.map(limitOf) }),
});
const allowed = (results: readonly CheckTripResult[]) =>
  results.filter((one) => one.kind === 'judged' && one.judgement.outcome === 'allowed').length;

/** Rules, facts, limits, and the balances that a judgement contains. */
export function rulesContract(bench: CountersBench): void {
  const { judge, outcomeOf } = bench;

  describe('rules', () => {
    it('counts a fact as set also where another one is', async () => {
      const facts = [SECRET, { id: SECRET.id, key: 'elsewhere' }];
      const rules = ruleTripOf({ facts, also: [{ fact: 0, where: 1 }], conditional: send.conditional });
      expect(await outcomeOf({ rules })).toBe('allowed');
      await outcomeOf({ rules: ruleTripOf({ facts, sets: [{ fact: 1, ttlSeconds: 60, on: 'allowed' }] }) });
      expect(await outcomeOf({ rules: send })).toBe('allowed');
      expect(await judge({ rules })).toMatchObject({ outcome: 'denied', seen: { facts: [SECRET.id, SECRET.id] } });
    });

    it('distinguishes as many facts as a trip may have', async () => {
      const facts = Array.from({ length: MOST_FACTS }, (_, n) => ({ id: `f${n}`, key: 'agent' }));
      const sets = [0, 51, 52, 53, MOST_FACTS - 1].map((fact) => ({ fact, ttlSeconds: 60, on: 'allowed' as const }));
      const { ruleCounts } = await judge({ rules: ruleTripOf({ facts, sets }) });
      expect(ruleCounts?.facts.map(({ id }) => id)).toEqual(['f0', 'f51', 'f52', 'f53', `f${MOST_FACTS - 1}`]);
      const { seen } = await judge({ rules: ruleTripOf({ facts }) });
      expect(seen?.facts).toEqual(['f0', 'f51', 'f52', 'f53', `f${MOST_FACTS - 1}`]);
    });

    it('find what their bit of the facts says, the lowest rank first, of equal ones the first', async () => {
      const rules = (conditional: RuleTrip['conditional']) => ({ rules: ruleTripOf({ facts: [SECRET], conditional }) });
      const named = (name: string, rank: number) => ruleOf({ violation: violationOf(name), rank });
      expect((await judge(rules([ruleOf({ truth: 0 })]))).outcome).toBe('allowed');
      const { violation } = await judge(rules([named('c', 2), named('a', 1), named('b', 1)]));
      expect(violation).toEqual(violationOf('a'));
      await judge({ rules: read });
      expect(await outcomeOf({ rules: send })).toBe('denied');
      expect(await outcomeOf(rules([ruleOf({ facts: [0], truth: 0b01 })]))).toBe('allowed');
    });

    it('evaluate four facts', async () => {
      const facts = [0, 1, 2, 3].map((n) => ({ id: `f${n}`, key: `place ${n % 2}` }));
      const sets = [0, 2, 3].map((fact) => ({ fact, ttlSeconds: 60, on: 'allowed' as const }));
      await judge({ rules: ruleTripOf({ facts, sets }) });
      for (let assignment = 0; assignment < 16; assignment++) {
        const conditional = [ruleOf({ facts: [3, 1, 0, 2], truth: 2 ** assignment })];
        expect(await outcomeOf({ rules: ruleTripOf({ facts, conditional }) })).toBe(
          // Bits 0, 2 and 3 of the assignment: f3, f0 and f2.
          assignment === 0b1101 ? 'denied' : 'allowed',
        );
      }
    });

    it('follow the static violation and precede spending and rate, which precede limits', async () => {
      const rate = { max: 0, per_seconds: 60 };
      const spending = { limitMicros: 1, window: 'action' } as const;
      const over = limitOf({ max: amountOf('0') });
      const all = { violation: VIOLATION, spending, costMicros: 2, rate };
      const rules = ruleTripOf({ conditional: [ruleOf()], limits: [over] });
      expect((await judge({ ...all, rules })).violation).toEqual(VIOLATION);
      expect((await judge({ ...all, violation: null, rules })).violation).toEqual(violationOf('rules:rule'));
      const { violation } = await judge({ ...all, violation: null, ...limited(over) });
      expect(violation?.violation_type).toBe('spending_limit_exceeded');
      expect((await judge({ rate, ...limited(over) })).violation?.violation_type).toBe('rate_limit_exceeded');
      expect((await judge(limited(over))).violation?.rule).toBe('limits:limit');
      expect(await outcomeOf({ ...all, rules, frozen: true })).toBe('frozen');
    });

    it('in observe mode are returned and deny nothing, and give way to what denies', async () => {
      const watched = ruleOf({ observe: true, violation: violationOf('rules:watched') });
      const observed = await judge({ rules: ruleTripOf({ conditional: [watched] }), costMicros: 7 });
      expect(observed).toMatchObject({ outcome: 'allowed', violation: watched.violation, costMicros: 7 });
      const both = await judge({ rules: ruleTripOf({ conditional: [watched, ruleOf({ rank: 5 })] }) });
      expect(both).toMatchObject({ outcome: 'denied', violation: violationOf('rules:rule') });
      const limit = limitOf({ max: amountOf('0'), observe: true });
      const twice = ruleTripOf({ limits: [limit], sets: read.sets, facts: read.facts });
      expect(await judge({ rules: twice })).toMatchObject({ outcome: 'allowed', violation: { rule: 'limits:limit' } });
      expect(await outcomeOf({ rules: send })).toBe('denied');
      const second = await judge({ rules: twice });
      expect(second.seen?.limits).toEqual({ limit: '1' });
      expect(await judge({ rules: send, observe: true })).toMatchObject({
        outcome: 'allowed',
        violation: violationOf('rules:rule'),
      });
    });
  });

  describe('facts', () => {
    it('hold until they expire, at their place and for their agent', async () => {
      expect(await outcomeOf({ rules: { ...read, conditional: send.conditional } })).toBe('allowed');
      expect(await outcomeOf({ rules: send })).toBe('denied');
      expect(await outcomeOf({ rules: { ...send, facts: [{ ...SECRET, key: 'other' }] } })).toBe('allowed');
      expect(await outcomeOf({ rules: send, agentId: 'other' })).toBe('allowed');
      bench.nowMs = START + 30_000;
      await judge({ rules: read });
      bench.nowMs = START + 89_999;
      expect(await outcomeOf({ rules: send })).toBe('denied');
      bench.nowMs = START + 90_000;
      expect(await outcomeOf({ rules: send })).toBe('allowed');
    });

    it('are set by denied checks only where they say so, and by no refusal', async () => {
      const checked = { ...read, sets: [{ fact: 0, ttlSeconds: 60, on: 'checked' as const }] };
      await judge({ rules: read, violation: VIOLATION });
      await judge({ rules: checked, frozen: true });
      expect(await outcomeOf({ rules: send })).toBe('allowed');
      const { ruleCounts } = await judge({ rules: checked, violation: VIOLATION });
      expect(ruleCounts).toEqual({ facts: [{ ...SECRET, expiresAtMs: START + 60_000 }], limits: [] });
      expect(await outcomeOf({ rules: send })).toBe('denied');
    });

    it('are reverted one setting at a time', async () => {
      const first = await judge({ rules: read });
      bench.nowMs += 1;
      const second = await judge({ rules: read });
      await bench.counters.takeBack('account', 'agent', second, null);
      expect(await outcomeOf({ rules: send })).toBe('denied');
      bench.nowMs = START + 60_000;
      expect(await outcomeOf({ rules: send })).toBe('allowed');
      bench.nowMs = START + 59_999;
      await bench.counters.takeBack('account', 'agent', first, null);
      expect(await outcomeOf({ rules: send })).toBe('allowed');
    });

    it('of more than eight settings the oldest stay', async () => {
      const judgements = [];
      for (let n = 0; n < 9; n++) judgements.push(await judge({ rules: read }));
      for (const one of judgements.slice(1)) await bench.counters.takeBack('account', 'agent', one, null);
      expect(await outcomeOf({ rules: send })).toBe('denied');
      await bench.counters.takeBack('account', 'agent', judgements[0]!, null);
      expect(await outcomeOf({ rules: send })).toBe('denied');
      bench.nowMs += 60_000;
      expect(await outcomeOf({ rules: send })).toBe('allowed');
    });

    it('that one of 64 checks at a time sets let no later one pass', async () => {
      const other = await bench.another();
      const both = [bench.counters, other];
      const rules = { ...read, conditional: send.conditional };
      const results = await Promise.all(
        Array.from({ length: 64 }, (_, n) => both[n % 2]!.check(tripOf({ rules, apiKeyId: `${n}` }))),
      );
      expect(allowed(results)).toBe(1);
      await bench.judge({ rules: read, agentId: 'reader' });
      const sent = await Promise.all(
        Array.from({ length: 64 }, (_, n) => both[n % 2]!.check(tripOf({ rules: send, agentId: 'reader' }))),
      );
      expect(allowed(sent)).toBe(0);
    });
  });

  describe('limits', () => {
    it('are exact sliding windows of allowed checks, each key by itself', async () => {
      for (const at of [0, 4000, 9999]) {
        bench.nowMs = START + at;
        await judge({ ...limited({}), violation: VIOLATION });
        expect(await outcomeOf(limited({}))).toBe('allowed');
      }
      expect(await outcomeOf(limited({}))).toBe('denied');
      expect(await outcomeOf(limited({ key: 'other' }))).toBe('allowed');
      expect(await outcomeOf({ ...limited({}), agentId: 'other' })).toBe('allowed');
      bench.nowMs = START + 10_000;
      expect(await outcomeOf(limited({}))).toBe('allowed');
      bench.nowMs = START + 13_999;
      expect(await outcomeOf(limited({}))).toBe('denied');
      bench.nowMs = START + 14_000;
      expect(await outcomeOf(limited({}))).toBe('allowed');
    });

    it('add decimals exactly, and an amount of nothing exceeds none', async () => {
      const sum = (amount: string, max = '0.3') => limited({ amount: amountOf(amount), max: amountOf(max) });
      for (const amount of ['0.1', '0.199999999', '0.000000001']) expect(await outcomeOf(sum(amount))).toBe('allowed');
      const over = await judge(sum('0.000000001'));
      expect(over).toMatchObject({ outcome: 'denied', seen: { limits: { limit: '0.3' } } });
      expect(await outcomeOf(sum('0', '0.1'))).toBe('allowed');
      const huge = amountOf('99999999999.999999999');
      const watched = limited({ key: 'huge', amount: huge, max: huge, observe: true });
      for (let n = 0; n < 1000; n++) await judge(watched);
      const { seen } = await judge(watched);
      expect(seen?.limits).toEqual({ limit: '99999999999999.999999' });
    });

    it('report maximum, balance, and when the balance decreases', async () => {
      await judge(limited({ amount: amountOf('2.5') }));
      bench.nowMs += 1000;
      const over = await judge(limited({ amount: amountOf('0.6') }));
      expect(over.violation).toEqual({
        ...violationOf('limits:limit'),
        detail: 'limit 3 per 10 s, 2.5 already counted, the balance decreases at 2026-11-21T12:00:10.000Z',
        extras: {
          budget: {
            unit: 'count',
            window_seconds: 10,
            limit: '3',
            consumed: '2.5',
            remaining: '0.5',
            resets_at: '2026-11-21T12:00:10.000Z',
          },
        },
      });
      expect(over.limit).toEqual({ id: 'limit', consumed: '2.5', resetsAtMs: START + 10_000 });
      const alone = await judge(limited({ amount: amountOf('4'), unit: 'sum' }));
      expect(alone.limit?.resetsAtMs).toBeNull();
      expect(alone.violation?.extras?.budget).toMatchObject({ unit: 'sum', remaining: '0.5', resets_at: null });
    });

    it('deny by the first of several, and count in all of them or in none', async () => {
      const a = { id: 'a', key: 'a', violation: violationOf('a'), max: amountOf('2') };
      const b = { id: 'b', key: 'b', violation: violationOf('b'), max: amountOf('1') };
      expect(await outcomeOf(limited(a, b))).toBe('allowed');
      const denied = await judge(limited(a, b));
      expect(denied).toMatchObject({ violation: { rule: 'b' }, seen: { limits: { a: '1', b: '1' } } });
      expect(denied.ruleCounts).toBeUndefined();
      expect(await outcomeOf(limited(a))).toBe('allowed');
      expect((await judge(limited(a, b))).violation?.rule).toBe('a');
    });

    it('regain what is given back, each amount once', async () => {
      const one = { amount: amountOf('1.5'), reserve: true };
      const first = await judge(limited(one));
      await judge(limited(one));
      expect(await outcomeOf(limited(one))).toBe('denied');
      const held = [{ key: 'key', order: first.seen!.order, atMs: first.nowMs, amount: amountOf('1.5') }];
      await bench.counters.giveBackHeld('agent', [{ ...held[0]!, atMs: first.nowMs + 1 }]);
      await bench.counters.giveBackHeld('other', held);
      expect(await outcomeOf(limited(one))).toBe('denied');
      for (let n = 0; n < 2; n++) await bench.counters.giveBackHeld('agent', held);
      expect((await judge(limited(one))).seen?.limits).toEqual({ limit: '1.5' });
      await bench.counters.giveBackHeld('agent', held);
      expect(await outcomeOf(limited(one))).toBe('denied');
      bench.nowMs += 10_000;
      await bench.counters.giveBackHeld('agent', held);
      expect((await judge(limited(one))).seen?.limits).toEqual({ limit: '0' });
    });

    it('let exactly as many of 64 checks at a time pass as may', async () => {
      const other = await bench.another();
      const trip = () => tripOf(limited({ max: amountOf('10.5'), amount: amountOf('1.5') }));
      const results = await Promise.all(
        Array.from({ length: 64 }, (_, n) => (n % 2 === 0 ? bench.counters : other).check(trip())),
      );
      expect(allowed(results)).toBe(7);
    });
  });

  describe('the balances before a check', () => {
    it('are returned where a trip wants them, in the order of the judgements, refusals included', async () => {
      const trip: Partial<CheckTrip> = { wantsSeen: true, costMicros: 5, rate: { max: 9, per_seconds: 10 } };
      expect((await judge({ costMicros: 3 })).seen).toBeUndefined();
      const seen = [(await judge(trip)).seen, (await judge({ ...trip, frozen: true })).seen, (await judge(trip)).seen];
      const none = { facts: [], limits: {} };
      expect(seen).toEqual([
        { order: 1, spent: { day: 3, month: 3 }, rate: 0, plan: { used: 1 }, ...none },
        { order: 2, spent: { day: 8, month: 8 }, rate: 1, plan: { used: 2 }, ...none },
        { order: 3, spent: { day: 8, month: 8 }, rate: 1, plan: { used: 2 }, ...none },
      ]);
      bench.nowMs += 86_400_000;
      const later = await judge({ ...trip, rate: null, violation: VIOLATION });
      expect(later.seen).toMatchObject({ order: 4, spent: { day: 0, month: 13 }, rate: null, plan: { used: 3 } });
      expect((await judge({ ...trip, agentId: 'other' })).seen?.order).toBe(1);
      bench.nowMs += 40 * 86_400_000;
      expect((await judge({ ...trip, plan: { ...tripOf().plan, plan: 'sandbox' } })).seen?.plan.used).toBe(5);
      expect((await judge(trip)).seen).toMatchObject({ order: 6, plan: { used: 1 }, spent: { day: 5, month: 5 } });
    });

    it('of a check that was taken back leave its order free, unless a later one was judged', async () => {
      const trip = { wantsSeen: true };
      const orders = async () => (await judge(trip)).seen?.order;
      const first = await judge(trip);
      await bench.counters.takeBack('account', 'agent', first, null);
      expect(await orders()).toBe(1);
      const second = await judge(trip);
      expect(await orders()).toBe(3);
      await bench.counters.takeBack('account', 'agent', second, null);
      expect(await orders()).toBe(4);
    });
  });

  describe('a repeated or reverted check with rules', () => {
    const rules = { ...read, limits: [limitOf({ max: amountOf('1') })], conditional: [ruleOf({ observe: true })] };

    it('has its judgement with balances and counts, and counts nothing again', async () => {
      const judgement = await judge({ ...keyed('k'), rules });
      const again = await bench.counters.check(tripOf({ ...keyed('k'), rules }));
      expect(again).toEqual({ kind: 'claimed', judgement });
      const denied = await judge({ ...keyed('l'), rules });
      expect(denied).toMatchObject({ outcome: 'denied', limit: { id: 'limit', consumed: '1' } });
      expect(await bench.counters.check(tripOf(keyed('l')))).toEqual({ kind: 'claimed', judgement: denied });
      const room = await judge({ ...keyed('m'), rules: { ...rules, limits: [] } });
      expect(room).toMatchObject({ outcome: 'allowed', violation: violationOf('rules:rule') });
      expect(await bench.counters.check(tripOf(keyed('m')))).toEqual({ kind: 'claimed', judgement: room });
    });

    it.each([true, false])('reverts facts and amounts when it is judged again, with rules: %s', async (still) => {
      const superseded = await judge({ ...keyed('k'), rules });
      bench.nowMs += 1000;
      const versions = { account: 1, apiKey: 1, agent: 2 };
      const again = tripOf({ ...keyed('k'), versions, ...(still ? { rules } : { wantsSeen: false }) });
      const result = await bench.counters.check(again);
      expect(result).toMatchObject({ kind: 'rejudged', superseded, judgement: { outcome: 'allowed' } });
      if (result.kind !== 'rejudged') return;
      expect(result.superseded).toEqual(superseded);
      expect(await outcomeOf({ versions, rules: send })).toBe(still ? 'denied' : 'allowed');
      expect(await outcomeOf({ versions, rules: { ...rules, sets: [] } })).toBe(still ? 'denied' : 'allowed');
    });

    it('reverts facts and amounts when it is taken back, also with a key', async () => {
      for (const key of [null, 'k']) {
        const judgement = await judge({ ...(key === null ? {} : keyed(key)), rules });
        expect(await outcomeOf({ rules })).toBe('denied');
        await bench.counters.takeBack('account', 'agent', judgement, key);
        expect(await outcomeOf({ rules: send })).toBe('allowed');
      }
      expect((await judge({ rules })).seen?.limits).toEqual({ limit: '0' });
    });
  });
}
