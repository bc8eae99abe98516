import type { CheckTrip, CountedEvent, HeldAmount, RuleCounts, RuleSnapshot, RuleTrip } from '../port.js';
import type { Amount } from '../amount.js';

/** The plain rules of facts and limits over the events of one agent, oldest first: slow, with whole numbers of any size. */
export class RulesModel {
  constructor(
    readonly events: readonly CountedEvent[],
    readonly nowMs: number,
  ) {}

  get order(): number {
    return Math.max(0, ...this.events.map(({ order = 0 }) => order));
  }

  isSet(fact: RuleTrip['facts'][number]): boolean {
    return this.events.some(({ ruleCounts }) =>
      ruleCounts?.facts.some(({ id, key, expiresAtMs }) => {
        return id === fact.id && key === fact.key && expiresAtMs > this.nowMs;
      }),
    );
  }

  /** Amounts that were counted and not given back. */
  held(): readonly (HeldAmount & { windowSeconds: number; reserve: boolean })[] {
    const back = new Set(
      this.events.flatMap(({ givesBack = [] }) => givesBack.map(({ key, order }) => `${key} ${order}`)),
    );
    return this.events.flatMap(({ order = 0, occurredAtMs: atMs, ruleCounts }) =>
      (ruleCounts?.limits ?? [])
        .filter(({ key }) => !back.has(`${key} ${order}`))
        .map((counted) => ({ ...counted, order, atMs })),
    );
  }

  /** In nanos. */
  balance(key: string, windowSeconds: number): bigint {
    return this.held()
      .filter((held) => held.key === key && this.nowMs - held.atMs < windowSeconds * 1000)
      .reduce((sum, { amount }) => sum + nanos(amount), 0n);
  }

  /** By the position of the fact in the trip. */
  set({ facts, also = [] }: Pick<RuleTrip, 'facts' | 'also'>): readonly boolean[] {
    const set = facts.map((fact) => this.isSet(fact));
    for (const { fact, where } of also) if (set[where] === true) set[fact] = true;
    return set;
  }

  /** Rule of the finding that denies, or of the first one in observe mode, in the order of rules, `between`, limits. */
  found(
    { facts, also, conditional, limits }: RuleTrip,
    between: string | null,
  ): { rule: string | null; denies: boolean } {
    const set = this.set(also === undefined ? { facts } : { facts, also });
    const found = [0, 1, 2].flatMap((rank) =>
      conditional.filter((rule) => {
        const assignment = rule.facts.reduce((sum, fact, bit) => sum + (set[fact] === true ? 2 ** bit : 0), 0);
        return (
          rule.rank === rank &&
          BigInt(rule.truth)
            .toString(2)
            .padStart(16, '0')
            .at(-1 - assignment) === '1'
        );
      }),
    );
    const over = limits.filter(({ key, windowSeconds, amount, max }) => {
      return nanos(amount) > 0n && this.balance(key, windowSeconds) + nanos(amount) > nanos(max);
    });
    const first = (observe: boolean, all: readonly { observe: boolean; violation: { rule: string | null } }[]) =>
      all.find((one) => one.observe === observe)?.violation.rule ?? null;
    const denying = first(false, found) ?? between ?? first(false, over);
    return { rule: denying ?? first(true, found) ?? first(true, over), denies: denying !== null };
  }

  counts({ facts, sets, limits }: RuleTrip, outcome: 'allowed' | 'denied'): RuleCounts {
    const set = sets.filter(({ on }) => outcome === 'allowed' || on === 'checked');
    return {
      facts: set.map(({ fact, ttlSeconds }) => ({ ...facts[fact]!, expiresAtMs: this.nowMs + ttlSeconds * 1000 })),
      limits: limits
        .filter(({ amount }) => outcome === 'allowed' && nanos(amount) > 0n)
        .map(({ key, windowSeconds, amount, reserve }) => ({ key, windowSeconds, amount, reserve })),
    };
  }

  seen(trip: CheckTrip): { order: number; facts: string[]; limits: Record<string, string> } {
    const { facts, limits, also = [] } = trip.rules ?? { facts: [], limits: [] };
    const set = this.set({ facts, also });
    return {
      order: this.order + 1,
      facts: facts.filter((_fact, index) => set[index] === true).map(({ id }) => id),
      limits: Object.fromEntries(
        limits.map(({ id, key, windowSeconds }) => [id, decimal(this.balance(key, windowSeconds))]),
      ),
    };
  }

  snapshot(): RuleSnapshot {
    return {
      facts: this.events.flatMap(({ order = 0, ruleCounts }) =>
        (ruleCounts?.facts ?? []).map((fact) => ({ ...fact, order })),
      ),
      limits: this.held().map(({ key, order, atMs, amount, windowSeconds }) => {
        return { key, order, atMs, amount, windowSeconds };
      }),
      approvals: this.events.flatMap(({ approvals = [] }) => approvals),
    };
  }
}

function nanos(amount: Amount): bigint {
  return BigInt(amount.units) * 1_000_000_000n + BigInt(amount.nanos);
}

function decimal(value: bigint): string {
  const text = value.toString().padStart(10, '0');
  return `${text.slice(0, -9)}.${text.slice(-9)}`.replace(/\.?0+$/, '');
}
