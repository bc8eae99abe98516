import type { GivenBackSums } from '../port.js';
import type { AgentApprovals } from './agent-approvals.js';
import type { AgentRules } from './agent-rules.js';
import { calendarDay } from './calendar.js';
import { RateWindow } from './rate-window.js';

const MOST_MICROS = Number.MAX_SAFE_INTEGER;
/** Time for which a rate window of unknown length is kept without a check. */
const UNKNOWN_WINDOW_MS = 31 * 86_400_000;

/** Totals of one account. */
export class AccountTotals {
  /** `''` until something was counted. */
  period = '';
  actionsInPeriod = 0;
  actionsEver = 0;

  inPeriod(month: string): number {
    return this.period >= month ? this.actionsInPeriod : 0;
  }

  count(ms: number): void {
    const { month } = calendarDay(ms);
    if (this.period < month) {
      this.period = month;
      this.actionsInPeriod = 0;
    }
    if (this.period === month) this.actionsInPeriod++;
    this.actionsEver++;
  }

  takeBack(ms: number): void {
    if (this.period === calendarDay(ms).month) this.actionsInPeriod = Math.max(0, this.actionsInPeriod - 1);
    this.actionsEver = Math.max(0, this.actionsEver - 1);
  }
}

/** Totals and flags of one agent. */
export class AgentTotals {
  day = '';
  dayMicros = 0;
  month = '';
  monthMicros = 0;
  /** Credited part of the sums. */
  dayBackMicros = 0;
  monthBackMicros = 0;
  frozen = false;
  unfrozenAtMs = 0;
  rate: RateWindow | null = null;
  /** Length of the rate window at the last check. */
  rateWindowMs = UNKNOWN_WINDOW_MS;
  /** Greatest order of its checks that were judged with balances. */
  order = 0;
  /** `null`: no facts are set and nothing is counted towards limits. */
  rules: AgentRules | null = null;
  /** `null`: none was asked for. */
  approvals: AgentApprovals | null = null;

  /** Spending in its window at this time, in micro-dollars. */
  spent(window: 'day' | 'month', nowMs: number): number {
    const now = calendarDay(nowMs);
    if (window === 'day') return this.day >= now.day ? reduce(this.dayMicros, this.dayBackMicros) : 0;
    return this.month >= now.month ? reduce(this.monthMicros, this.monthBackMicros) : 0;
  }

  spend(micros: number, ms: number): void {
    const { day, month } = calendarDay(ms);
    if (this.day < day) {
      this.day = day;
      this.dayMicros = 0;
      this.dayBackMicros = 0;
    }
    if (this.month < month) {
      this.month = month;
      this.monthMicros = 0;
      this.monthBackMicros = 0;
    }
    if (this.day === day) this.dayMicros = saturate(this.dayMicros, micros);
    if (this.month === month) this.monthMicros = saturate(this.monthMicros, micros);
  }

  takeBackSpending(micros: number, ms: number): void {
    const { day, month } = calendarDay(ms);
    if (this.day === day) this.dayMicros = reduce(this.dayMicros, micros);
    if (this.month === month) this.monthMicros = reduce(this.monthMicros, micros);
  }

  /** As `Counters.giveBack`. */
  giveBack({ day, dayMicros, month, monthMicros }: GivenBackSums): void {
    if (this.day === day) this.dayBackMicros = Math.max(this.dayBackMicros, dayMicros);
    if (this.month === month) this.monthBackMicros = Math.max(this.monthBackMicros, monthMicros);
  }

  countRate(ms: number): void {
    this.rate ??= new RateWindow();
    this.rate.add(ms);
  }

  /** Number of checks in a rate window of this length, after older ones were dropped. */
  countedRate(windowMs: number, nowMs: number): number {
    this.rateWindowMs = windowMs;
    this.rate?.trim(nowMs, windowMs);
    return this.rate?.count ?? 0;
  }

  freeze(atMs: number): void {
    if (this.unfrozenAtMs < atMs) this.frozen = true;
  }

  /** Drops what can no longer decide; `true` when nothing is left to remember. */
  forget(nowMs: number): boolean {
    if (this.rate !== null && nowMs - this.rate.newest >= this.rateWindowMs) this.rate = null;
    if (this.rules?.forget(nowMs) === true) this.rules = null;
    if (this.rate !== null || this.rules !== null || this.approvals !== null || this.order > 0) return false;
    return !this.frozen && this.unfrozenAtMs === 0 && this.month < calendarDay(nowMs).month;
  }
}

function saturate(sum: number, micros: number): number {
  return micros >= MOST_MICROS - sum ? MOST_MICROS : sum + micros;
}

/** A saturated sum no longer knows its amount: it stays. */
function reduce(sum: number, micros: number): number {
  return sum === MOST_MICROS ? sum : Math.max(0, sum - micros);
}
