import type { CountedBy } from '../api/stats.js';
import { number } from './en.js';

/** Words of the numbers above the list of events. */
export const figuresWords = {
  title: (checks: number | null) =>
    checks === null ? 'Checks in this range' : `Checks in this range: ${number(checks)}`,
  failed: 'Checks could not be counted',
  facets: { outcome: 'Outcome', violation_type: 'Violation', rule: 'Rule', agent: 'Agent' } satisfies Record<
    CountedBy,
    string
  >,
  none: 'None',
  others: 'Others',
  tooLong: 'Counted over 31 days at most: choose a shorter time.',
} as const;
