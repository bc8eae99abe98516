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
    countsRate: false,
    rateWindowMs: null,
    trip: TRIP,
    unanswered: false,
    forgotFacts: false,
    skippedAt: null,
    ...more,
  };
}

describe('the balances of an agent', () => {
  const later = check(2, {}, ['secret']);

  it('break where a fact is set that no check before it set', () => {
    const { breaks } = followBalances([check(1, {}), later], { hidden: [], unknownReturns: [] });
    expect(breaks).toEqual([
      { eventId: 'check-2', sequence: 2, balance: 'facts.secret', recorded: '1', least: '0', most: '0' },
    ]);
  });

  it('leave facts open once one could not be kept', () => {
    const forgot = check(1, { forgotFacts: true });
    expect(followBalances([forgot, later], { hidden: [], unknownReturns: [] }).breaks).toEqual([]);
  });
});
