import { number } from './en.js';

/** Texts of the overview. */
export const overviewWords = {
  title: 'Overview',
  range: 'Time',
  ranges: { day: 'Last 24 hours', week: 'Last 7 days', month: 'Last 30 days' },
  failed: 'Counts could not be read',
  asOf: 'Newest event',
  checks: 'Checks',
  alerts: 'Open alerts',
  chart: 'Checks over time',
  chartKeys: 'Arrow keys read one step after another',
  stepText: (time: string, counts: readonly string[]) => `${time}: ${counts.join(', ')}`,
  chartText: (checks: number, steps: number) => `${number(checks)} checks in ${number(steps)} steps of time`,
  table: 'The numbers as a table',
  step: 'From (UTC)',
  violations: 'Violations',
  violationsEmpty: 'Nothing was denied in this time.',
  agents: 'Agents',
  agentsFailed: 'Agents could not be counted',
  columns: {
    agent: 'Agent',
    checks: 'Checks',
    denied: 'Denied',
    trend: 'Trend',
    last: 'Newest event',
    anchored: 'Anchored',
  },
  anchored: (through: number, last: number) => `${number(through)} of ${number(last)}`,
  empty: 'No checks in this time',
  emptyLead: 'Ask POST /v1/check before an agent acts: each check is counted here.',
} as const;
