import type { ApprovalOfCheck, HeldAmount, JsonValue, KeptRules, RateLimit, RuleCounts } from '@countersign/contracts';
import { countRules, MOST_CHARACTERS } from './rule-usage.js';

/** Sums never pass what a double holds exactly. */
const MOST = Number.MAX_SAFE_INTEGER;

/** Totals of an account: the cap of its plan applies to them. */
export interface AccountTotals {
  readonly accountId: string;
  /** `2026-11` (UTC) of the newest counted event. */
  readonly period: string;
  readonly actionsInPeriod: number;
  readonly actionsEver: number;
  /** By partition: the offset after the last event that counts. */
  readonly offsets: Readonly<Record<number, number>>;
}

/** Totals of an agent: its spending and rate limits apply to them. */
export interface AgentTotals {
  readonly agentId: string;
  readonly partition: number;
  /** The offset after the last event that counts. */
  readonly offset: number;
  readonly day: string;
  readonly dayMicros: number;
  readonly month: string;
  readonly monthMicros: number;
  /** Part of the sums that was given back; absent: none. */
  readonly dayBackMicros?: number;
  readonly monthBackMicros?: number;
  /** Oldest first, inside the rate limit's window; empty without a rate limit. */
  readonly rateTimes: readonly number[];
  /** Greatest order of its checks; absent: 0. */
  readonly order?: number;
  /** Facts that are set and amounts that count towards limits; absent: none. */
  readonly rules?: KeptRules;
}

/** The answer that a repeated idempotency key gets. */
export interface Claim {
  readonly accountId: string;
  readonly keySha256: string;
  readonly bodySha256: string;
  readonly eventId: string;
  readonly occurredAtMs: number;
  /** Version of the profile that decided; absent in claims from before it was stored. */
  readonly profileVersion?: number;
  readonly answer: JsonValue;
}

/** Contribution of one event of the log. */
export interface Counted {
  readonly partition: number;
  readonly offset: number;
  readonly occurredAtMs: number;
  readonly countsAction: boolean;
  readonly countsRate: boolean;
  readonly costMicros: number;
  /** Spending of an earlier check that it gives back. */
  readonly givesBack?: { readonly costMicros: number; readonly occurredAtMs: number };
  /** Order of a check among the checks of its agent; absent: it was judged without balances. */
  readonly order?: number;
  /** Facts and amounts that a check set and counted by rules. */
  readonly ruleCounts?: RuleCounts;
  /** Approvals that a check waits for or has used. */
  readonly approvalsOfCheck?: readonly ApprovalOfCheck[];
  /** Amounts of an earlier check that go back to their limits. */
  readonly givesBackHeld?: readonly HeldAmount[];
}

const DAY_MS = 86_400_000;
/** Of a time of the rate in a record. */
const TIME_CHARACTERS = 14;
let lastDay = { number: -1, day: '', month: '' };

/** UTC day and month of a time; successive events of the log mostly share them. */
function daysOf(ms: number): { readonly day: string; readonly month: string } {
  const number = Math.floor(ms / DAY_MS);
  if (number !== lastDay.number) {
    const iso = new Date(number * DAY_MS).toISOString();
    lastDay = { number, day: iso.slice(0, 10), month: iso.slice(0, 7) };
  }
  return lastDay;
}

/** The sum of the newest window: a newer event begins a new one, an older one is not part of it. */
class WindowSum {
  constructor(
    public window: string,
    public sum: number,
    /** Part of the sum that was given back. */
    public back = 0,
  ) {}

  add(at: string, more: number): void {
    if (at > this.window) {
      this.window = at;
      this.sum = more;
      this.back = 0;
    } else if (at === this.window) {
      this.sum = Math.min(this.sum + more, MOST);
    }
  }

  /** Gives back spending that was added `at` a time: at most the sum, and only of this window. */
  giveBack(at: string, less: number): void {
    if (at === this.window) this.back = Math.min(this.back + less, this.sum);
  }
}

/** @param events of this account and one partition, in log order, at least one */
export function countForAccount(
  totals: AccountTotals | null,
  accountId: string,
  events: readonly Counted[],
): AccountTotals {
  const period = new WindowSum(totals?.period ?? '', totals?.actionsInPeriod ?? 0);
  let ever = totals?.actionsEver ?? 0;
  for (const event of events) {
    const actions = event.countsAction ? 1 : 0;
    period.add(daysOf(event.occurredAtMs).month, actions);
    ever = Math.min(ever + actions, MOST);
  }
  const { partition, offset } = events.at(-1)!;
  return {
    accountId,
    period: period.window,
    actionsInPeriod: period.sum,
    actionsEver: ever,
    offsets: { ...totals?.offsets, [partition]: offset + 1 },
  };
}

/** @param parts of one account, each of other partitions, at least one */
export function sumOfPartitions(accountId: string, parts: readonly AccountTotals[]): AccountTotals {
  const period = new WindowSum('', 0);
  let ever = 0;
  for (const { period: window, actionsInPeriod, actionsEver } of parts) {
    period.add(window, actionsInPeriod);
    ever = Math.min(ever + actionsEver, MOST);
  }
  const offsets = Object.assign({}, ...parts.map((part) => part.offsets)) as Record<number, number>;
  return { accountId, period: period.window, actionsInPeriod: period.sum, actionsEver: ever, offsets };
}

/** @param events of this agent (so of one partition), in log order, at least one */
export function countForAgent(
  totals: AgentTotals | null,
  agentId: string,
  events: readonly Counted[],
  rate: RateLimit | null,
): AgentTotals {
  const days = new WindowSum(totals?.day ?? '', totals?.dayMicros ?? 0, totals?.dayBackMicros);
  const months = new WindowSum(totals?.month ?? '', totals?.monthMicros ?? 0, totals?.monthBackMicros);
  for (const event of events) {
    const { day, month } = daysOf(event.occurredAtMs);
    days.add(day, event.costMicros);
    months.add(month, event.costMicros);
    if (event.givesBack === undefined) continue;
    const counted = daysOf(event.givesBack.occurredAtMs);
    days.giveBack(counted.day, event.givesBack.costMicros);
    months.giveBack(counted.month, event.givesBack.costMicros);
  }
  const { partition, offset } = events.at(-1)!;
  const order = events.reduce((most, event) => Math.max(most, event.order ?? 0), totals?.order ?? 0);
  const times = rate === null ? [] : rateTimes(totals?.rateTimes ?? [], events, rate);
  const rules = countRules(totals?.rules, events, MOST_CHARACTERS - times.length * TIME_CHARACTERS);
  return {
    agentId,
    partition,
    offset: offset + 1,
    day: days.window,
    dayMicros: days.sum,
    month: months.window,
    monthMicros: months.sum,
    ...(days.back > 0 ? { dayBackMicros: days.back } : {}),
    ...(months.back > 0 ? { monthBackMicros: months.back } : {}),
    rateTimes: times,
    ...(order > 0 ? { order } : {}),
    ...(rules === undefined ? {} : { rules }),
  };
}

/**
 * A check counts while `now − time < per_seconds * 1000`; `now` is the newest event. Clocks of several gateways may put
 * an event a little before the one in front of it, so the times are sorted.
 */
function rateTimes(times: readonly number[], events: readonly Counted[], rate: RateLimit): readonly number[] {
  const all = [...times];
  let now = times.at(-1) ?? 0;
  let sorted = true;
  for (const { countsRate, occurredAtMs } of events) {
    if (countsRate) {
      sorted &&= occurredAtMs >= (all.at(-1) ?? 0);
      all.push(occurredAtMs);
    }
    now = Math.max(now, occurredAtMs);
  }
  if (!sorted) all.sort((a, b) => a - b);
  const oldest = now - rate.per_seconds * 1000;
  const first = all.findIndex((time) => time > oldest);
  return first === -1 ? [] : all.slice(first);
}
