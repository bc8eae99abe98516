import type { RateLimit } from '@countersign/contracts';
import { NOTHING } from '../amount.js';
import type { AgentUsage } from '../port.js';
import type { LimitBalance, RuleBalances, RuleQuestion } from '../rule-trip.js';
import type { AgentRules } from './agent-rules.js';
import type { RateWindow } from './rate-window.js';
import type { AgentTotals } from './totals.js';

/** `Counters.agentUsage` from the totals of an agent; `undefined` where nothing was counted. */
export function agentUsage(totals: AgentTotals | undefined, rate: RateLimit | null, nowMs: number): AgentUsage {
  const window = totals?.rate ?? null;
  const past = window === null || rate === null ? 0 : countPast(window, nowMs - rate.per_seconds * 1000);
  const rateCount = window === null || rate === null ? 0 : window.count - past;
  const full = window !== null && rate !== null && rate.max > 0 && rateCount >= rate.max;
  return {
    nowMs,
    frozen: totals?.frozen ?? false,
    dayMicros: totals?.spent('day', nowMs) ?? 0,
    monthMicros: totals?.spent('month', nowMs) ?? 0,
    rateCount,
    rateBlockedBy: full ? window.at(past + rateCount - rate.max) : null,
  };
}

/** `Counters.ruleBalances` from the facts and windows of an agent; `null` where there are none. */
export function ruleBalances(
  rules: AgentRules | null,
  { facts, limits, most }: RuleQuestion,
  nowMs: number,
): RuleBalances {
  const budget = { left: most };
  const unknownUntilMs = rules?.unknownUntilMs ?? 0;
  return {
    facts: facts.map((fact) => rules?.fact(fact)?.setUntilMs(nowMs) ?? null),
    unknownUntilMs: unknownUntilMs > nowMs ? unknownUntilMs : null,
    limits: limits.map(({ key, windowSeconds }) => {
      const window = rules?.window(key);
      return window === undefined ? NOT_COUNTED : window.balance(nowMs, windowSeconds * 1000, budget);
    }),
  };
}
const NOT_COUNTED: LimitBalance = { consumed: NOTHING, oldestMs: null };

/** Number of times at or before `edgeMs`. */
function countPast(window: RateWindow, edgeMs: number): number {
  let past = 0;
  while (past < window.count && window.at(past) <= edgeMs) past += 1;
  return past;
}
