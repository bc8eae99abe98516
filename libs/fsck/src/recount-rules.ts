import { unpackAmounts } from '@countersign/contracts';
import type { EventEnvelope, KeptAmount, KeptApproval, KeptRules } from '@countersign/contracts';

/** Amounts that are kept of a window, at most: where the log has more, policy has put some together. */
const MOST_AMOUNTS = 10_000;
/** Events after which expired facts and amounts are dropped. */
const DROP_EVERY = 1_000;

interface Counted extends KeptAmount {
  readonly key: string;
  readonly windowSeconds: number;
}

/** Order, facts and amounts of one agent by the events of the log. */
export class RuleRecount {
  #order = 0;
  /** Time of the newest event, ms. */
  #newestMs = 0;
  /** Expiry (ms) by id and key. */
  readonly #facts = new Map<string, number>();
  #amounts: Counted[] = [];
  /** By binding. */
  readonly #approvals = new Map<string, KeptApproval>();
  #events = 0;

  /** @param envelope of an event that counts, each event once and in the order of the log */
  take({ leaf, order = 0, ruleCounts, givesBackHeld, approvals = [] }: EventEnvelope): void {
    const atMs = Date.parse(leaf.occurredAt);
    this.#order = Math.max(this.#order, order);
    this.#newestMs = Math.max(this.#newestMs, atMs);
    for (const { id, key, expiresAtMs } of ruleCounts?.facts ?? []) {
      const name = factName(id, key);
      this.#facts.set(name, Math.max(expiresAtMs, this.#facts.get(name) ?? 0));
    }
    for (const { key, windowSeconds, amount } of ruleCounts?.limits ?? []) {
      this.#amounts.push({ key, windowSeconds, order, atMs, amount });
    }
    for (const { key, ...held } of givesBackHeld ?? []) {
      this.#amounts = this.#amounts.filter((one) => one.key !== key || amountName(one) !== amountName(held));
    }
    for (const { state, id, bindingSha256, expiresAt } of approvals) {
      const expiresAtMs = Date.parse(expiresAt);
      const known = this.#approvals.get(bindingSha256);
      if (state === 'used' || (known !== undefined && known[0] !== id && known[2] >= expiresAtMs)) continue;
      const isConsumed = state === 'consumed' || (known?.[0] === id && known[3]);
      this.#approvals.set(bindingSha256, [id, bindingSha256, expiresAtMs, isConsumed]);
    }
    this.#events += 1;
    if (this.#events % DROP_EVERY === 0) this.#drop();
  }

  /** Differences of totals that include the same events. Facts and amounts that have expired are not compared. */
  differences({ order = 0, rules }: { readonly order?: number; readonly rules?: KeptRules }): readonly string[] {
    this.#drop();
    const problems = order === this.#order ? [] : [`order is ${order}, the log adds up to ${this.#order}`];
    const kept = readKept(rules);
    if (kept === null) return [...problems, 'rules cannot be read'];
    const facts = [...kept.facts].filter(([, expiresAtMs]) => expiresAtMs > this.#newestMs);
    if (!isSame(facts.map(String), [...this.#facts].map(String))) problems.push('facts are not those of the log');
    const live = (all: Iterable<KeptApproval>) => [...all].filter(([, , at]) => at > this.#newestMs).map(String);
    if (!isSame(live(rules?.approvals ?? []), live(this.#approvals.values()))) {
      problems.push('approvals are not those of the log');
    }
    const [stored, logged] = [this.#windows(kept.amounts), this.#windows(this.#amounts)];
    for (const name of new Set([...stored.keys(), ...logged.keys()])) {
      const of = logged.get(name) ?? [];
      if (of.length > MOST_AMOUNTS || isSame(stored.get(name) ?? [], of)) continue;
      problems.push(`the amounts of window ${name} are not those of the log`);
    }
    return problems;
  }

  #drop(): void {
    for (const [name, expiresAtMs] of this.#facts) if (expiresAtMs <= this.#newestMs) this.#facts.delete(name);
    this.#amounts = this.#amounts.filter((one) => this.#counts(one));
  }

  #counts({ atMs, windowSeconds }: Counted): boolean {
    return this.#newestMs - atMs < windowSeconds * 1000;
  }

  /** Amounts that count, as text, by length and key of their window. */
  #windows(amounts: readonly Counted[]): Map<string, string[]> {
    const windows = new Map<string, string[]>();
    for (const one of amounts) {
      if (!this.#counts(one)) continue;
      const name = `${one.windowSeconds} ${one.key}`;
      const window = windows.get(name);
      if (window === undefined) windows.set(name, [amountName(one)]);
      else window.push(amountName(one));
    }
    return windows;
  }
}

/** Facts and amounts of totals; `null`: they have not the form of such. */
function readKept(
  rules: KeptRules | undefined,
): { readonly facts: ReadonlyMap<string, number>; readonly amounts: readonly Counted[] } | null {
  const facts = new Map<string, number>();
  const amounts: Counted[] = [];
  for (const [id, key, expiresAtMs] of rules?.facts ?? []) facts.set(factName(id, key), expiresAtMs);
  if (facts.size !== (rules?.facts.length ?? 0)) return null;
  for (const [key, windowSeconds, newestMs, text] of rules?.windows ?? []) {
    const window = typeof text === 'string' ? unpackAmounts(text) : null;
    if (window === null || window.at(-1)?.atMs !== newestMs) return null;
    amounts.push(...window.map((one) => ({ ...one, key, windowSeconds })));
  }
  return { facts, amounts };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  const sorted = [...other].sort();
  return [...one].sort().every((text, index) => text === sorted[index]);
}

const factName = (id: string, key: string): string => `${id} ${key}`;

function amountName({ order, atMs, amount }: KeptAmount): string {
  return `${atMs} ${order} ${amount.units} ${amount.nanos}`;
}
