import type { LimitMember } from '@countersign/contracts';
import type { SeenMember } from './arguments-of.js';
import { withHeadroom } from './bounds.js';
import type { SeenCheck } from './seen-check.js';
import { wordsOfName } from './shown-values.js';

const HOUR = 3600;
const DAY = 24 * HOUR;
const LEAST_KEYS = 3;
const MOST_COUNT = 10_000;
const LARGEST_SUM = 999_999_999;

/** A limit, and the largest balance that any window had. */
export interface SeenLimit {
  readonly limit: Omit<LimitMember, 'id'>;
  readonly peak: number;
}

/** The window of which the checks cover at least two: a day, or an hour; `null`: they cover not even two hours. */
export function windowOf(checks: readonly SeenCheck[]): number | null {
  const seconds = ((checks.at(-1)?.atMs ?? 0) - (checks[0]?.atMs ?? 0)) / 1000;
  if (seconds >= 2 * DAY) return DAY;
  return seconds >= 2 * HOUR ? HOUR : null;
}

interface Amount {
  readonly atMs: number;
  readonly key: string;
  readonly amount: number;
}

/** The largest sum of the amounts of one key in any window. @param amounts in the order of their times, but for clocks of several gateways */
export function peakOf(amounts: readonly Amount[], windowSeconds: number): number {
  const windows = new Map<string, { readonly inside: Amount[]; first: number; sum: number }>();
  let peak = 0;
  for (const one of amounts.toSorted((a, b) => a.atMs - b.atMs)) {
    let window = windows.get(one.key);
    if (window === undefined) windows.set(one.key, (window = { inside: [], first: 0, sum: 0 }));
    window.inside.push(one);
    window.sum += one.amount;
    while (window.inside[window.first]!.atMs <= one.atMs - windowSeconds * 1000) {
      window.sum -= window.inside[window.first]!.amount;
      window.first += 1;
    }
    peak = Math.max(peak, window.sum);
  }
  return peak;
}

/** The rate of the agent: checks in any hour or day. */
export function rateOf(
  checks: readonly SeenCheck[],
  headroom: number,
): { readonly rate: { readonly max: number; readonly per_seconds: number }; readonly peak: number } | null {
  const window = windowOf(checks) === null ? null : HOUR;
  if (window === null) return null;
  const peak = peakOf(
    checks.map(({ atMs }) => ({ atMs, key: '', amount: 1 })),
    window,
  );
  return { rate: { max: withHeadroom(peak, headroom), per_seconds: window }, peak };
}

/** Checks of one session in any hour or day; `null` where not every check names its session, or there are few. */
export function sessionLimit(checks: readonly SeenCheck[], headroom: number): SeenLimit | null {
  const window = windowOf(checks);
  const sessions = checks.map(({ who }) => who.session);
  if (window === null || sessions.includes(null) || new Set(sessions).size < LEAST_KEYS) return null;
  const peak = peakOf(
    checks.map(({ atMs, who }) => ({ atMs, key: who.session!, amount: 1 })),
    window,
  );
  return countLimit({ key: 'session' }, peak, window, headroom);
}

const CUSTOMER = new Set(
  'customer client account user patient member order case ticket payee recipient beneficiary invoice subscription'.split(
    ' ',
  ),
);
const IDENTIFIES = new Set(['id', 'no', 'number', 'key', 'ref']);

/** Checks of one customer – or account, order, … – in any hour or day. */
export function customerLimit(
  scope: Pick<LimitMember, 'tools' | 'types'>,
  checks: readonly SeenCheck[],
  members: readonly SeenMember[],
  headroom: number,
): SeenLimit | null {
  const window = windowOf(checks);
  if (window === null) return null;
  const member = members.find(({ path, values, everywhere }) => {
    const words = wordsOfName(path);
    const names = CUSTOMER.has(words[0] ?? '') && words.slice(1).every((word) => IDENTIFIES.has(word));
    const texts = values.every(
      (value) => typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value)),
    );
    return everywhere && names && texts && !path.includes('.') && new Set(values).size >= LEAST_KEYS;
  });
  if (member === undefined || !/^\w+$/.test(member.path)) return null;
  const keys = checks.map(({ atMs }, at) => ({ atMs, key: JSON.stringify(member.values[at]), amount: 1 }));
  return countLimit({ ...scope, key: `args.${member.path}` }, peakOf(keys, window), window, headroom);
}

const MONEY = new Set('amount total price cost sum value fee refund payment'.split(' '));

/** The sum of an amount in any hour or day. */
export function sumLimit(
  scope: Pick<LimitMember, 'tools' | 'types'>,
  checks: readonly SeenCheck[],
  members: readonly SeenMember[],
  headroom: number,
): SeenLimit | null {
  const window = windowOf(checks);
  if (window === null) return null;
  const member = members.find(({ path, values, everywhere }) => {
    const amounts = values.every(
      (value) => typeof value === 'number' && value >= 0 && value === Number(value.toFixed(9)),
    );
    return everywhere && amounts && /^\w+$/.test(path) && MONEY.has(wordsOfName(path).at(0) ?? '');
  });
  if (member === undefined) return null;
  const amounts = checks.map(({ atMs }, at) => ({ atMs, key: '', amount: member.values[at] as number }));
  const peak = Number(peakOf(amounts, window).toFixed(9));
  const most = withHeadroom(peak, headroom);
  if (most > LARGEST_SUM || peak === 0) return null;
  return { limit: { ...scope, sum: `args.${member.path}`, max_sum: String(most), window_seconds: window }, peak };
}

function countLimit(
  members: Omit<LimitMember, 'id' | 'window_seconds'>,
  peak: number,
  windowSeconds: number,
  headroom: number,
): SeenLimit | null {
  const most = withHeadroom(peak, headroom);
  return most > MOST_COUNT ? null : { limit: { ...members, max_count: most, window_seconds: windowSeconds }, peak };
}
