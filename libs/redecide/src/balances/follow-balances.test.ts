import type { RuleTrip } from '@countersign/contracts';
import type { CountedCheck } from './counted-check.js';
import { followBalances } from './follow-balances.js';

const TRIP: RuleTrip = {
  facts: [{ id: 'secret', key: 'agent' }],
  conditional: [],
  sets: [],
  limits: [],
  noRoom: null as never,
};

function check(order: number, more: Partial<CountedCheck>, facts: readonly string[] = []): CountedCheck {
  const seen = {
    order,
    frozen: false,
    plan: { used: order - 1, cap: null, expires: null },
    spent: { day: 0, month: 0 },
    rate: null,
    limits: {},
  };
  return {
    eventId: `check-${order}`,
    sequence: order,
    atMs: order * 1000,
    context: { seen, facts } as unknown as CountedCheck['context'],
    allowed: false,
    countsAction: true,
    costMicros: 0,
    version: 1,
    countsRate: false,
    rateWindowMs: null,
    trip: TRIP,
    unanswered: false,
    forgotFacts: false,
    skippedAt: null,
    ...more,
  };
}

/** Version 2 has a rate window of 3 s. */
const profiles = {
  shortestBetween: (after: number, before: number) => (after < 2 && before > 2 ? 3_000 : Infinity),
};
const BESIDE = { hidden: [], unknownReturns: [], profiles };

describe('the balances of an agent', () => {
  const later = check(2, {}, ['secret']);

  it('break where a fact is set that no check before it set', () => {
    const { breaks } = followBalances([check(1, {}), later], BESIDE);
    expect(breaks).toEqual([
      { eventId: 'check-2', sequence: 2, balance: 'facts.secret', recorded: '1', least: '0', most: '0' },
    ]);
  });

  it('leave facts open once one could not be kept', () => {
    const forgot = check(1, { forgotFacts: true });
    expect(followBalances([forgot, later], BESIDE).breaks).toEqual([]);
  });

  describe('of a rate', () => {
    const rated = (order: number, version: number, rate: number): CountedCheck => {
      const one = check(order, { version, allowed: true, countsRate: true, rateWindowMs: 60_000 });
      return { ...one, context: { ...one.context, seen: { ...one.context.seen, rate } } };
    };
    const breaksOf = (...checks: CountedCheck[]): unknown[] => [...followBalances(checks, BESIDE).breaks];

    it('may lack what a version with a shorter window has dropped, of which no check is in the package', () => {
      const [first, second] = [rated(1, 1, 0), rated(2, 1, 1)];
      expect(breaksOf(first, second, rated(5, 3, 1))).toEqual([]);
      expect(breaksOf(first, second, rated(5, 3, 2))).toEqual([]);
    });

    it('have no less than what was within that window, and nothing less without that version', () => {
      const [first, second] = [rated(1, 1, 0), rated(2, 1, 1)];
      const rate = { balance: 'rate', least: '1' };
      expect(breaksOf(first, second, rated(4, 3, 0))).toEqual([expect.objectContaining(rate)]);
      expect(breaksOf(first, second, rated(3, 2, 1))).toEqual([expect.objectContaining({ ...rate, least: '2' })]);
    });
  });
});
