import { VERDICTS } from './result.js';
import type { RedecidedAgent, RedecidedEvent, RedecisionTotals, Verdict } from './result.js';

export function totalsOf(events: readonly RedecidedEvent[], agents: readonly RedecidedAgent[]): RedecisionTotals {
  const count = (verdict: Verdict): number => events.filter((event) => event.verdict === verdict).length;
  return {
    checks: events.length,
    ...(Object.fromEntries(VERDICTS.map((verdict) => [verdict, count(verdict)])) as Record<Verdict, number>),
    otherEngine: events.filter(({ otherEngine }) => otherEngine).length,
    agents: agents.length,
    continuous: agents.filter(({ balances }) => balances === 'continuous').length,
    broken: agents.filter(({ balances }) => balances === 'broken').length,
    missing: agents.reduce((sum, { missing }) => sum + missing, 0),
  };
}

/** The totals of several packages; an agent counts once for each of them. `null` for none. */
export function sumOfTotals(all: readonly RedecisionTotals[]): RedecisionTotals | null {
  const [first, ...others] = all;
  if (first === undefined) return null;
  const names = Object.keys(first) as (keyof RedecisionTotals)[];
  const sum = (name: keyof RedecisionTotals): number => others.reduce((so, totals) => so + totals[name], first[name]);
  return Object.fromEntries(names.map((name) => [name, sum(name)])) as unknown as RedecisionTotals;
}
