import { longestCounted } from '@countersign/policy-engine';
import type { CompiledProfile } from '@countersign/policy-engine';

/**
 * Time from which recorded checks count towards a limit of the profile at `fromMs`: the start of its day or month (UTC),
 * of its rate window, or of the longest time of its facts and limits, whichever is earliest; `null` where no limit reaches back.
 */
export function countsSince({ spending, rate, rules }: CompiledProfile, fromMs: number): number | null {
  const starts = [
    ...(spending === null || spending.window === 'action' ? [] : [windowStart(spending.window, fromMs)]),
    // A check counts while less than the whole window has passed since.
    ...(rate === null ? [] : [fromMs - rate.per_seconds * 1000 + 1]),
    ...(rules === null ? [] : [fromMs - longestCounted(rules) * 1000 + 1]),
  ];
  const earliest = Math.min(...starts);
  return earliest < fromMs ? earliest : null;
}

function windowStart(window: 'day' | 'month', ms: number): number {
  const date = new Date(ms);
  date.setUTCHours(0, 0, 0, 0);
  if (window === 'month') date.setUTCDate(1);
  return date.getTime();
}
