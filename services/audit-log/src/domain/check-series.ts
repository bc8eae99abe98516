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
  const byKey = new Map<string, number[]>();
  for (const one of counts) {
    const key = keyOf(one, by);
    if (key === null) continue;
    const series = byKey.get(key) ?? Array.from({ length: steps.count }, () => 0);
    series[Math.floor((one.at - steps.fromMs) / steps.stepMs)]! += one.count;
    byKey.set(key, series);
  }
  const all = [...byKey]
    .map(([key, series]) => ({ key, total: sum(series), counts: series }))
    .sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1));
  const rest = all.slice(top);
  const other = Array.from({ length: steps.count }, (_, step) => sum(rest.map((one) => one.counts[step]!)));
  return { series: all.slice(0, top), other: rest.length === 0 ? null : other };
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
