import { compileRules, explainLimits } from '../index.js';
import type { RuleMembers } from '../index.js';
import { PORTS } from '../rules.test-kit.js';

const LIMITS: RuleMembers['limits'] = [
  { id: 'often', tools: ['refund'], key: 'args.customer', max_count: 3, window_seconds: 3600 },
  {
    id: 'spend',
    tools: ['refund', 'pay'],
    sum: 'args.amount',
    max_sum: '200.00',
    window_seconds: 86400,
    mode: 'observe',
  },
  { id: 'twice', sum: 'args.amount * 2.0', max_sum: '9', window_seconds: 60 },
  { id: 'other', tools: ['send'], max_count: 1, window_seconds: 60 },
];

function explain(payload: unknown, balances?: Readonly<Record<string, string>>) {
  const result = compileRules({ limits: LIMITS }, PORTS);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  const judged = { action: { type: 'tool_use', tool_name: 'refund', payload }, agent: { id: 'a' }, time: 0 };
  return explainLimits(result.compiled, judged, balances).map(({ rule, result: found, clauses, charge }) => [
    ...[rule, found, clauses.map(({ text, result: holds }) => `${text}: ${holds}`).join()],
    charge?.violation.violation_type ?? null,
  ]);
}

describe('limits by themselves', () => {
  const type = 'limit_exceeded';

  it('compare what they counted before with their maximum', () => {
    expect(explain({ customer: 'c', amount: 4 }, { often: '3', spend: '196', twice: '0.999999999' })).toEqual([
      ['limits:often', 'matched', 'counted + 1 <= 3: false', type],
      ['limits:spend', 'passed', 'counted + args.amount <= 200.00: true', type],
      ['limits:twice', 'passed', 'counted + (args.amount * 2.0) <= 9: true', type],
      ['limits:other', 'not_applicable', '', null],
    ]);
    expect(explain({ customer: 'c', amount: 4 }, { often: '2', spend: '196.000000001', twice: '1.000000001' })).toEqual(
      [
        ['limits:often', 'passed', 'counted + 1 <= 3: true', type],
        ['limits:spend', 'matched', 'counted + args.amount <= 200.00: false', type],
        ['limits:twice', 'matched', 'counted + (args.amount * 2.0) <= 9: false', type],
        ['limits:other', 'not_applicable', '', null],
      ],
    );
    expect(explain({ customer: 'c', amount: 0 }, { spend: '500' })[1]).toEqual([
      ...['limits:spend', 'passed', 'counted + args.amount <= 200.00: true', type],
    ]);
  });

  it('leave open what depends on a balance that is not known', () => {
    expect(explain({ customer: 'c', amount: 4 })[0]).toEqual([
      ...['limits:often', 'passed', 'counted + 1 <= 3: unknown', type],
    ]);
  });

  it('are an error where their key or sum cannot be read', () => {
    expect(explain({ customer: ['c'] }).map(([, ...found]) => found)).toEqual([
      ['error', 'counted + 1 <= 3: error', null],
      ['error', 'counted + args.amount <= 200.00: error', null],
      ['error', 'counted + (args.amount * 2.0) <= 9: error', null],
      ['not_applicable', '', null],
    ]);
  });
});
