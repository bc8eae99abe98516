import fc from 'fast-check';
import { parseAmount } from '../amount.js';
import type { Amount } from '../amount.js';
import type { RuleTrip, TripApprovals } from '../port.js';
import type { StaticViolation } from '../static-violation.js';

/** The violation of a rule or limit with this name. */
export function violationOf(rule: string): StaticViolation {
  return {
    violation_type: 'off_limits_action',
    severity: 'P2',
    reason: `by ${rule}`,
    rule,
    detail: null,
    extras: null,
  };
}

export function amountOf(text: string): Amount {
  const amount = parseAmount(text);
  if (amount === null) throw new Error(`${text} is no amount`);
  return amount;
}

export const ruleTripOf = (change: Partial<RuleTrip> = {}): RuleTrip => ({
  facts: [],
  conditional: [],
  sets: [],
  limits: [],
  noRoom: violationOf('no-room'),
  ...change,
});

export const limitOf = (change: Partial<RuleTrip['limits'][number]> = {}): RuleTrip['limits'][number] => ({
  id: 'limit',
  key: 'key',
  windowSeconds: 10,
  max: amountOf('3'),
  amount: amountOf('1'),
  reserve: false,
  violation: violationOf('limits:limit'),
  observe: false,
  ...change,
});

export const ruleOf = (change: Partial<RuleTrip['conditional'][number]> = {}): RuleTrip['conditional'][number] => ({
  facts: [],
  truth: 1,
  violation: violationOf('rules:rule'),
  rank: 0,
  observe: false,
  ...change,
});

/** The rules of a random trip; facts and windows are named by session and customer. */
export interface RuleChoice {
  readonly session: number;
  readonly customer: number;
  readonly rules: readonly { truth: number; rank: number; observe: boolean; reads: number }[];
  readonly sets: readonly (null | 'allowed' | 'checked')[];
  readonly amounts: readonly (string | null)[];
  readonly also: readonly { readonly fact: number; readonly where: number }[];
  /** Rules that an approval satisfies, as bits, the binding of each, and how many approvals before this one the named one is. */
  readonly asks: {
    readonly rules: number;
    readonly binding: number;
    readonly named: number | null;
  };
}

const AMOUNTS = ['0', '0.000000001', '0.999999999', '1', '1', '2.5', '7', '99999999999.999999999'];
/** Each limit keeps its window, as each agent of these histories keeps its profile. */
const LIMITS = [
  { id: 'count', windowSeconds: 60, max: '3', reserve: false, observe: false },
  { id: 'sum', windowSeconds: 7200, max: '7.500000001', reserve: true, observe: false },
  { id: 'observed', windowSeconds: 86_400, max: '2', reserve: true, observe: true },
  { id: 'huge', windowSeconds: 3600, max: '99999999999', reserve: false, observe: false },
];
const LIFETIMES = [60, 86_400, 5];

export const ruleChoice: fc.Arbitrary<RuleChoice | null> = fc.option(
  fc.record({
    session: fc.nat(1),
    customer: fc.nat(1),
    rules: fc.array(
      fc.record({
        truth: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(255) }),
        rank: fc.nat(2),
        observe: fc.boolean(),
        reads: fc.nat(7),
      }),
      { maxLength: 3 },
    ),
    sets: fc.array(fc.constantFrom(null, null, 'allowed' as const, 'checked' as const), { minLength: 3, maxLength: 3 }),
    amounts: fc.array(fc.option(fc.constantFrom(...AMOUNTS), { freq: 2 }), { minLength: 4, maxLength: 4 }),
    also: fc.array(fc.record({ fact: fc.nat(2), where: fc.nat(2) }), { maxLength: 2 }),
    asks: fc.record({
      rules: fc.nat(7),
      binding: fc.nat(2),
      named: fc.option(fc.nat(9), { freq: 2 }),
    }),
  }),
  { freq: 3 },
);

export const APPROVAL_SECONDS = 3600;
let candidates = 0;

function chosenApprovals(rules: readonly number[], { binding, named }: RuleChoice['asks']): TripApprovals {
  candidates += 1;
  return {
    rules: rules.map((rule) => {
      const bindingSha256 = `b${rule} ${binding}`;
      return { rule, ruleId: `r${rule}`, bindingSha256, expiresSeconds: APPROVAL_SECONDS };
    }),
    candidateId: `apr_${candidates}`,
    mostPending: 3,
    namedId: named === null ? null : `apr_${candidates - named}`,
  };
}

/** The rules of a trip by choice. The third fact is held for the agent, the others for a session. */
export function chosenRules({ session, customer, rules, sets, amounts, also, asks }: RuleChoice): RuleTrip {
  const facts = ['secret', 'money', 'agent'].map((id) => ({ id, key: id === 'agent' ? '' : `session ${session}` }));
  const approvable = rules.flatMap(({ observe }, rule) => ((asks.rules >> rule) % 2 === 1 && !observe ? [rule] : []));
  return ruleTripOf({
    facts,
    ...(approvable.length === 0 ? {} : { approvals: chosenApprovals(approvable, asks) }),
    ...(also.length === 0 ? {} : { also }),
    conditional: rules.map(({ truth, rank, observe, reads }, index) => ({
      facts: [0, 1, 2].filter((fact) => (reads >> fact) % 2 === 1),
      truth,
      rank,
      observe,
      violation:
        (asks.rules >> index) % 2 === 1 && !observe
          ? { ...violationOf(`rules:${index}`), violation_type: 'approval_required' as const }
          : violationOf(`rules:${index}`),
    })),
    sets: sets.flatMap((on, fact) => (on === null ? [] : { fact, ttlSeconds: LIFETIMES[fact] ?? 60, on })),
    limits: LIMITS.flatMap((limit, index) => {
      const amount = amounts[index] ?? null;
      const violation = violationOf(`limits:${limit.id}`);
      return amount === null
        ? []
        : { ...limit, key: `${limit.id} ${customer}`, max: amountOf(limit.max), amount: amountOf(amount), violation };
    }),
  });
}
