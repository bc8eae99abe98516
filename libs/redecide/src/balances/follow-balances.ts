import { nanosOfText, textOfNanos } from '../amounts.js';
import type { AgentProfiles } from '../profiles.js';
import type { Break } from '../result.js';
import { charges } from './counted-check.js';
import type { CountedCheck } from './counted-check.js';
import { Facts } from './facts.js';
import { SlidingWindow } from './sliding-window.js';
import type { Bounds } from './sliding-window.js';
import { Spending } from './spending.js';

/** Events of an agent that balances depend on, beside its checks that show their context. */
export interface Beside {
  /** Places of checks that do not show their context, ascending. */
  readonly hidden: readonly number[];
  /** Places of outcomes that name a check whose cost is not known. */
  readonly unknownReturns: readonly number[];
  readonly profiles: Pick<AgentProfiles, 'shortestBetween'>;
}

/**
 * Follows the balances of one agent from check to check (FORMAT.md, "Re-decision", "Balances").
 * @param checks those that show their context, in any order
 * @returns the breaks, and how many numbers of `order` are missing
 */
export function followBalances(
  checks: readonly CountedCheck[],
  beside: Beside,
): { readonly breaks: readonly Break[]; readonly missing: number } {
  const ordered = [...checks].sort((a, b) => a.context.seen.order - b.context.seen.order || a.sequence - b.sequence);
  const [first] = ordered;
  if (first === undefined) return { breaks: [], missing: 0 };
  const balances = new AgentBalances(first, beside);
  let missing = 0;
  let before: CountedCheck | null = null;
  for (const check of ordered) {
    const gap = before === null ? 0 : Math.max(0, check.context.seen.order - before.context.seen.order - 1);
    missing += gap;
    balances.next(check, before, gap > 0);
    before = check;
  }
  return { breaks: balances.breaks, missing };
}

class AgentBalances {
  readonly breaks: Break[] = [];
  readonly #spending: Readonly<Record<'day' | 'month', Spending>>;
  readonly #rate: SlidingWindow;
  readonly #limits = new Map<string, SlidingWindow>();
  readonly #facts = new Facts();
  readonly #hidden: readonly number[];
  readonly #profiles: Beside['profiles'];
  /** Something may have set any fact. */
  #factsUnknown: boolean;
  #unknown: Unknown;
  /** The same of facts and of amounts of limits. */
  #unknownRules: Unknown;
  /** Actions that the agent has counted, by month. */
  readonly #actions = new Map<string, bigint>();

  constructor(first: CountedCheck, { hidden, unknownReturns, profiles }: Beside) {
    this.#hidden = hidden;
    this.#profiles = profiles;
    this.#spending = { day: new Spending('day', unknownReturns), month: new Spending('month', unknownReturns) };
    this.#rate = new SlidingWindow(first.atMs);
    this.#factsUnknown = first.context.seen.order !== 1;
    this.#unknown = { count: 0, atMs: first.atMs };
    this.#unknownRules = this.#unknown;
  }

  next(check: CountedCheck, before: CountedCheck | null, gap: boolean): void {
    const unknown = gap || (before !== null && this.#hiddenBetween(before.sequence, check.sequence));
    if (unknown) this.#noteUnknown(check.atMs);
    if (before !== null) this.#compareOrder(check, before);
    for (const window of ['day', 'month'] as const) {
      const { seen } = check.context;
      this.#report(check, `spent.${window}`, `${seen.spent[window]}`, this.#spending[window].compare(check, unknown));
    }
    this.#comparePlan(check);
    this.#compareRate(check);
    this.#compareLimits(check);
    for (const { id, isSet } of this.#facts.compare(check, this.#factsUnknown)) {
      const right = isSet ? 0n : 1n;
      this.#report(check, `facts.${id}`, isSet ? '1' : '0', { least: right, most: right });
    }
    this.#count(check);
  }

  #hiddenBetween(one: number, other: number): boolean {
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    let [from, to] = [0, this.#hidden.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#hidden[middle]! > low) to = middle;
      else from = middle + 1;
    }
    return (this.#hidden[from] ?? Infinity) < high;
  }

  #noteUnknown(atMs: number): void {
    this.#unknown = later(this.#unknown, atMs);
    this.#noteUnknownRules(atMs);
  }

  /** Facts and amounts that are not known, beside costs and numbers of checks that are. */
  #noteUnknownRules(atMs: number): void {
    this.#unknownRules = later(this.#unknownRules, atMs);
    this.#factsUnknown = true;
  }

  #compareOrder(check: CountedCheck, before: CountedCheck): void {
    const { order } = check.context.seen;
    if (order !== before.context.seen.order || check.unanswered || before.unanswered) return;
    this.#report(check, 'order', `${order}`, { least: BigInt(order) + 1n, most: null });
  }

  #comparePlan(check: CountedCheck): void {
    const { used } = check.context.seen.plan;
    const least = this.#actions.get(monthOf(check)) ?? 0n;
    if (BigInt(used) < least) this.#report(check, 'plan.used', `${used}`, { least, most: null });
  }

  #compareRate(check: CountedCheck): void {
    const { rate } = check.context.seen;
    if (rate === null || check.rateWindowMs === null) return;
    const bounds = this.#rate.compare(check, BigInt(rate), check.rateWindowMs, this.#unknown, (after, before) =>
      this.#profiles.shortestBetween(after, before, null),
    );
    this.#report(check, 'rate', `${rate}`, bounds);
  }

  #compareLimits(check: CountedCheck): void {
    const { limits } = check.context.seen;
    for (const { id, key, windowSeconds } of check.trip?.limits ?? []) {
      if (!Object.hasOwn(limits, id)) continue;
      const recorded = limits[id]!;
      const bounds = this.#limit(key, check).compare(
        check,
        nanosOfText(recorded),
        windowSeconds * 1000,
        this.#unknownRules,
        (after, before) => this.#profiles.shortestBetween(after, before, id),
      );
      this.#report(check, `limits.${id}`, recorded, bounds, textOfNanos);
    }
  }

  #limit(key: string, { atMs }: CountedCheck): SlidingWindow {
    let window = this.#limits.get(key);
    if (window === undefined)
      this.#limits.set(key, (window = new SlidingWindow(Math.min(atMs, this.#unknownRules.atMs))));
    return window;
  }

  #count(check: CountedCheck): void {
    if (check.countsAction && !check.unanswered) {
      this.#actions.set(monthOf(check), (this.#actions.get(monthOf(check)) ?? 0n) + 1n);
    }
    if (check.countsRate) this.#rate.add(check, 1n, check.rateWindowMs ?? 0, false);
    for (const { key, nanos, windowMs, reserve } of charges(check)) {
      this.#limit(key, check).add(check, nanos, windowMs, reserve);
    }
    this.#facts.add(check);
    if (check.forgotFacts) this.#factsUnknown = true;
    if (check.trip === undefined && check.countsAction) this.#noteUnknownRules(check.atMs);
  }

  #report(
    { eventId, sequence }: CountedCheck,
    balance: string,
    recorded: string,
    bounds: Bounds | null,
    text: (value: bigint) => string = String,
  ): void {
    if (bounds === null) return;
    const { least, most } = bounds;
    this.breaks.push({
      eventId,
      sequence,
      balance,
      recorded,
      least: text(least),
      most: most === null ? null : text(most),
    });
  }
}

/** How often something unknown was counted, and until when. */
interface Unknown {
  readonly count: number;
  readonly atMs: number;
}

function later({ count, atMs }: Unknown, at: number): Unknown {
  return { count: count + 1, atMs: Math.max(atMs, at) };
}

function monthOf({ atMs }: CountedCheck): string {
  return new Date(atMs).toISOString().slice(0, 7);
}
