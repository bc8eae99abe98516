import type { DeclaredScope } from '@countersign/contracts';
import type { RetentionMonths, RetentionReason } from '@countersign/process';

const DAY_MS = 86_400_000;
/** A declaration counts from then on: one that was made by mistake can be mended before it takes anything away. */
export const STANDS_AFTER_MS = 30 * DAY_MS;

/** How long an account's content is kept, and what asks for it. */
export interface Period {
  readonly months: number;
  readonly because: readonly RetentionReason[];
}

/**
 * The longest of what the account declared. Where nothing was declared, or the declaration is younger than
 * {@link STANDS_AFTER_MS}, the longest there is: nothing is taken away for want of knowledge.
 */
export function periodOf(declared: DeclaredScope | null, nowMs: number, months: RetentionMonths): Period {
  const known = Object.keys(declared?.scope ?? {}).filter(
    (name): name is RetentionReason => name !== 'undeclared' && Object.hasOwn(months, name),
  );
  if (declared === null || known.length === 0) return longest(['undeclared'], months);
  const all = Object.keys(months) as RetentionReason[];
  if (!(nowMs - Date.parse(declared.declaredAt) >= STANDS_AFTER_MS)) return longest(all, months);
  return longest(known, months);
}

function longest(reasons: readonly RetentionReason[], months: RetentionMonths): Period {
  const most = Math.max(...reasons.map((reason) => months[reason]));
  return { months: most, because: reasons.filter((reason) => months[reason] === most).sort() };
}

/** The same day and time this many calendar months earlier, UTC; where that month is shorter, its last day. */
export function monthsBefore(nowMs: number, months: number): number {
  const now = new Date(nowMs);
  const first = new Date(now);
  first.setUTCDate(1);
  first.setUTCMonth(first.getUTCMonth() - months);
  const days = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return first.setUTCDate(Math.min(now.getUTCDate(), days));
}
