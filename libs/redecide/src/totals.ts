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
