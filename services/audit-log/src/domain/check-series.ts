import type { AgentStats, CheckStats } from '@countersign/contracts';
import type { HourlyCount, StepCount } from '../store/port.js';

/** Steps of time in ms since the epoch: `count` of them from `fromMs` on. */
export interface Steps {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly count: number;
}

/** Member of the events by which series are kept. */
export type SeriesBy = 'outcome' | 'violation_type' | 'rule' | 'agent';

/**
 * Series of checks, most first; the sums of those after the first `top`.
 * @param counts of checks alone, in these steps
 */
export function checkSeries(
  counts: readonly StepCount[],
  by: SeriesBy,
  steps: Steps,
  top: number,
): Pick<CheckStats, 'series' | 'other'> {
  const totals = new Map<string, number>();
  for (const one of counts) {
    const key = keyOf(one, by);
    if (key !== null) totals.set(key, (totals.get(key) ?? 0) + one.count);
  }
  const ordered = [...totals].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1));
  const zeros = (): number[] => Array.from({ length: steps.count }, () => 0);
  // A series for each of many keys would take their number times that of the steps.
  const shown = new Map(ordered.slice(0, top).map(([key, total]) => [key, { key, total, counts: zeros() }]));
  const other = zeros();
  for (const one of counts) {
    const key = keyOf(one, by);
    if (key === null) continue;
    const series = shown.get(key)?.counts ?? other;
    series[Math.floor((one.at - steps.fromMs) / steps.stepMs)]! += one.count;
  }
  return { series: [...shown.values()], other: ordered.length > top ? other : null };
}

/** Numbers of checks of one agent. */
export type AgentCounts = Pick<AgentStats, 'agentId' | 'checks' | 'denied' | 'observed' | 'spark'>;

const PARTS = 24;

/**
 * Numbers of each agent, in the order of `agentIds`.
 * @param counts of checks alone, by agent, in steps of one hour
 */
export function agentCounts(
  agentIds: readonly string[],
  counts: readonly HourlyCount[],
  hours: { readonly first: number; readonly end: number },
): readonly AgentCounts[] {
  const byAgent = new Map<string | null, HourlyCount[]>();
  for (const one of counts) {
    const own = byAgent.get(one.agentId);
    if (own === undefined) byAgent.set(one.agentId, [one]);
    else own.push(one);
  }
  return agentIds.map((agentId) => {
    const own = byAgent.get(agentId) ?? [];
    const countOf = (which: (one: HourlyCount) => boolean): number => sum(own.filter(which).map(({ count }) => count));
    const spark = Array.from({ length: PARTS }, () => 0);
    for (const { hour, count } of own)
      spark[Math.floor(((hour - hours.first) * PARTS) / (hours.end - hours.first))]! += count;
    return {
      agentId,
      checks: countOf(() => true),
      denied: countOf(({ class: { outcome } }) => outcome === 'denied'),
      observed: countOf(({ class: { outcome, violationType } }) => outcome === 'allowed' && violationType !== null),
      spark,
    };
  });
}

function keyOf({ agentId, rule, class: { outcome, violationType } }: StepCount, by: SeriesBy): string | null {
  switch (by) {
    case 'outcome':
      return outcome;
    case 'violation_type':
      return violationType;
    case 'rule':
      return rule;
    case 'agent':
      return agentId;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
