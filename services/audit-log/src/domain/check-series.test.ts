import fc from 'fast-check';
import type { StepCount } from '../store/port.js';
import { agentCounts, checkSeries } from './check-series.js';

const one = fc.record({
  agentId: fc.constantFrom('a', 'b', 'c'),
  hour: fc.integer({ min: 48, max: 95 }),
  class: fc.record({
    type: fc.constant('action.checked'),
    outcome: fc.constantFrom('allowed', 'denied', 'frozen'),
    allowed: fc.boolean(),
    violationType: fc.constantFrom(null, 'api_not_allowed', 'rule_denied'),
  }),
  count: fc.integer({ min: 1, max: 9 }),
});
const many = fc.array(one, { maxLength: 40 });
const HOUR = 3_600_000;
const inSteps = fc
  .array(fc.tuple(one, fc.constantFrom(null, 'limits:hour', 'rules:refunds')), { maxLength: 40 })
  .map((all) => all.map(([{ hour, ...rest }, rule]): StepCount => ({ ...rest, rule, at: hour * HOUR })));
const total = (counts: readonly { readonly count: number }[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);

describe('checkSeries', () => {
  it('has each count once, in its step, in a series or among the others', () => {
    const by = fc.constantFrom('outcome' as const, 'violation_type' as const, 'rule' as const, 'agent' as const);
    fc.assert(
      fc.property(
        inSteps,
        by,
        fc.constantFrom(1, 6, 24),
        fc.integer({ min: 1, max: 3 }),
        (counts, of, hoursEach, top) => {
          const steps = { fromMs: 48 * HOUR, stepMs: hoursEach * HOUR, count: 48 / hoursEach };
          const { series, other } = checkSeries(counts, of, steps, top);
          expect(series.length).toBeLessThanOrEqual(top);
          const shown = counts.filter(({ rule, class: { violationType } }) =>
            of === 'violation_type' ? violationType !== null : of !== 'rule' || rule !== null,
          );
          for (let step = 0; step < steps.count; step += 1) {
            const inStep = shown.filter(({ at }) => Math.floor((at / HOUR - 48) / hoursEach) === step);
            const sums = series.map((each) => each.counts[step]!).reduce((a, b) => a + b, other?.[step] ?? 0);
            expect(sums).toBe(total(inStep));
          }
          const totals = series.map((each) => each.total);
          expect(totals).toEqual([...totals].sort((a, b) => b - a));
        },
      ),
    );
  });
});

describe('agentCounts', () => {
  it('counts what is denied and observed, and in which part of the range', () => {
    fc.assert(
      fc.property(many, (counts) => {
        const all = agentCounts(['a', 'b', 'none'], counts, { first: 48, end: 96 });
        expect(all.map(({ agentId }) => agentId)).toEqual(['a', 'b', 'none']);
        for (const { agentId, checks, denied, observed, spark } of all) {
          const own = counts.filter((each) => each.agentId === agentId);
          expect([checks, spark.length]).toEqual([total(own), 24]);
          expect(denied).toBe(total(own.filter((each) => each.class.outcome === 'denied')));
          const seen = own.filter((each) => each.class.outcome === 'allowed' && each.class.violationType !== null);
          expect(observed).toBe(total(seen));
          expect(spark[1]).toBe(total(own.filter(({ hour }) => hour === 50 || hour === 51)));
          expect(spark.reduce((a, b) => a + b, 0)).toBe(checks);
        }
      }),
    );
  });
});
