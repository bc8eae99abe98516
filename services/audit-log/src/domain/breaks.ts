import type { SequenceRun } from '../store/port.js';

/**
 * Sequences from `first` to `last` that are in none of the runs, the lowest first.
 * @param runs in ascending order
 */
export function breaksBetween(runs: readonly SequenceRun[], first: number, last: number): readonly SequenceRun[] {
  const breaks: SequenceRun[] = [];
  let next = first;
  for (const run of runs) {
    if (run.first > next && next <= last) breaks.push({ first: next, last: Math.min(run.first - 1, last) });
    next = Math.max(next, run.last + 1);
  }
  if (next <= last) breaks.push({ first: next, last });
  return breaks;
}
