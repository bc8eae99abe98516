import { packAmounts, unpackAmounts } from '@countersign/contracts';
import type {
  ApprovalOfCheck,
  HeldAmount,
  KeptAmount,
  KeptApproval,
  KeptFact,
  KeptRules,
  KeptWindow,
  RuleCounts,
} from '@countersign/contracts';
import { RULE_BOUNDS } from '@countersign/counters';

/** Nanos of one unit. */
const UNIT = 1_000_000_000;
/**
 * Maximum characters of facts, amounts and times of the rate: with the other totals of the agent they fit into one message
 * of the log.
 */
export const MOST_CHARACTERS = 4_100_000;

/** Of an approval in a record. */
const APPROVAL_CHARACTERS = 140;

/** The part of an event that concerns facts and limits. */
export interface RuleEvent {
  readonly occurredAtMs: number;
  readonly order?: number;
  readonly ruleCounts?: RuleCounts;
  readonly givesBackHeld?: readonly HeldAmount[];
  readonly approvalsOfCheck?: readonly ApprovalOfCheck[];
}

/**
 * Adds the facts and amounts of events to those of their agent, removes amounts that were given back, and drops what has
 * expired at the time of the newest event; `undefined`: nothing is left.
 *
 * Where a window has more amounts than the counters keep, or all together take more than `most` characters, amounts that
 * follow each other become one of the later time: their sum counts for longer, and they are no longer given back.
 * @param events of this agent, in log order
 */
export function countRules(
  before: KeptRules | undefined,
  events: readonly RuleEvent[],
  most = MOST_CHARACTERS,
): KeptRules | undefined {
  const concerned = events.some(
    ({ ruleCounts, givesBackHeld, approvalsOfCheck }) => ruleCounts ?? givesBackHeld ?? approvalsOfCheck,
  );
  if (before === undefined && !concerned) return undefined;
  const rules = new CountedRules(before);
  let newestMs = 0;
  for (const { occurredAtMs, order = 0, ruleCounts, givesBackHeld = [], approvalsOfCheck = [] } of events) {
    newestMs = Math.max(newestMs, occurredAtMs);
    if (ruleCounts !== undefined) rules.count(ruleCounts, order, occurredAtMs);
    for (const held of givesBackHeld) rules.giveBack(held);
    for (const approval of approvalsOfCheck) rules.approve(approval);
  }
  rules.expire(newestMs);
  rules.shrink(newestMs, most);
  return rules.kept();
}

/** Amounts of one key and one window length; they are read from their text when they are needed. */
class Window {
  #amounts: KeptAmount[] | null = null;
  #text: string | null;
  #newestMs: number;

  constructor(
    readonly key: string,
    readonly windowSeconds: number,
    newestMs: number,
    text: string,
  ) {
    this.#newestMs = newestMs;
    this.#text = text;
  }

  get newestMs(): number {
    return this.#newestMs;
  }

  get isRead(): boolean {
    return this.#amounts !== null;
  }

  /** The amounts, to be changed; oldest first. */
  amounts(): KeptAmount[] {
    if (this.#amounts === null) {
      this.#amounts = unpackAmounts(this.#text ?? '');
      if (this.#amounts === null) throw new Error(`the amounts of window ${this.key} cannot be read`);
    }
    this.#text = null;
    return this.#amounts;
  }

  add(one: KeptAmount): void {
    const amounts = this.amounts();
    let index = amounts.length;
    while (index > 0 && amounts[index - 1]!.atMs > one.atMs) index -= 1;
    amounts.splice(index, 0, one);
    this.#newestMs = Math.max(this.#newestMs, one.atMs);
  }

  remove({ order, atMs, amount }: KeptAmount): void {
    const amounts = this.amounts();
    const index = amounts.findLastIndex(
      (one) =>
        one.order === order &&
        one.atMs === atMs &&
        one.amount.units === amount.units &&
        one.amount.nanos === amount.nanos,
    );
    if (index === -1) return;
    amounts.splice(index, 1);
    this.#newestMs = amounts.at(-1)?.atMs ?? 0;
  }

  /** Drops the amounts that have left the window. */
  trim(nowMs: number): void {
    const amounts = this.amounts();
    const first = amounts.findIndex(({ atMs }) => nowMs - atMs < this.windowSeconds * 1000);
    amounts.splice(0, first === -1 ? amounts.length : first);
  }

  /** Makes one of the oldest amounts, so that at most `most` are left. */
  shorten(most: number): void {
    const amounts = this.amounts();
    if (amounts.length <= most) return;
    const oldest = amounts.slice(0, amounts.length - most + 1);
    const one = { ...oldest.at(-1)!, amount: oldest.map(({ amount }) => amount).reduce(sum) };
    amounts.splice(0, oldest.length, one);
  }

  /** Makes one of every two amounts. */
  halve(): void {
    const amounts = this.amounts();
    this.#text = null;
    this.#amounts = amounts.flatMap((one, index) => {
      if (index % 2 === 0) return index === amounts.length - 1 ? [one] : [];
      return [{ ...one, amount: sum(amounts[index - 1]!.amount, one.amount) }];
    });
  }

  text(): string {
    return (this.#text ??= packAmounts(this.amounts()));
  }

  kept(): KeptWindow {
    return [this.key, this.windowSeconds, this.#newestMs, this.text()];
  }
}

class CountedRules {
  readonly #facts: Map<string, KeptFact>;
  /** By length and key. */
  readonly #windows: Map<string, Window>;
  /** By binding. */
  readonly #approvals: Map<string, KeptApproval>;
  /** Lengths that windows of a key have: one, until a profile changes it. */
  readonly #lengths = new Map<string, Set<number>>();

  constructor(before: KeptRules | undefined) {
    this.#facts = new Map((before?.facts ?? []).map((fact) => [factName(fact[0], fact[1]), fact]));
    this.#windows = new Map();
    this.#approvals = new Map((before?.approvals ?? []).map((approval) => [approval[1], approval]));
    for (const [key, windowSeconds, newestMs, text] of before?.windows ?? []) {
      this.#put(new Window(key, windowSeconds, newestMs, text));
    }
  }

  count({ facts, limits }: RuleCounts, order: number, atMs: number): void {
    for (const { id, key, expiresAtMs } of facts) {
      const name = factName(id, key);
      this.#facts.set(name, [id, key, Math.max(expiresAtMs, this.#facts.get(name)?.[2] ?? 0)]);
    }
    for (const { key, windowSeconds, amount } of limits) {
      const window =
        this.#windows.get(windowName(key, windowSeconds)) ?? this.#put(new Window(key, windowSeconds, 0, ''));
      window.add({ order, atMs, amount: { units: amount.units, nanos: amount.nanos } });
    }
  }

  giveBack({ key, order, atMs, amount }: HeldAmount): void {
    for (const windowSeconds of this.#lengths.get(key) ?? []) {
      this.#windows.get(windowName(key, windowSeconds))?.remove({ order, atMs, amount });
    }
  }

  /** Keeps an approval that waits or is used up: of a binding the latest, which does not open again. */
  approve({ state, id, bindingSha256, expiresAt }: ApprovalOfCheck): void {
    if (state === 'used') return;
    const expiresAtMs = Date.parse(expiresAt);
    const kept = this.#approvals.get(bindingSha256);
    if (kept !== undefined && kept[0] !== id && kept[2] >= expiresAtMs) return;
    const isConsumed = state === 'consumed' || (kept?.[0] === id && kept[3]);
    this.#approvals.set(bindingSha256, [id, bindingSha256, expiresAtMs, isConsumed]);
  }

  /** Drops expired facts, windows without an amount that counts, and expired amounts of windows that have changed. */
  expire(nowMs: number): void {
    for (const [name, [, , expiresAtMs]] of this.#approvals) if (expiresAtMs <= nowMs) this.#approvals.delete(name);
    for (const [name, [, , expiresAtMs]] of this.#facts) if (expiresAtMs <= nowMs) this.#facts.delete(name);
    for (const [name, window] of this.#windows) {
      if (nowMs - window.newestMs >= window.windowSeconds * 1000) this.#windows.delete(name);
      else if (window.isRead) window.trim(nowMs);
    }
  }

  /** Keeps within the bounds. */
  shrink(nowMs: number, most: number): void {
    for (const window of this.#windows.values()) {
      if (window.isRead) window.shorten(RULE_BOUNDS.window);
    }
    if (this.#characters() <= most) return;
    for (const window of this.#windows.values()) window.trim(nowMs);
    let characters = this.#characters();
    while (characters > most) {
      const some = [...this.#windows.values()].filter((window) => window.amounts().length > 1);
      // Facts and windows of one amount each are as many as the counters keep: they take far fewer characters.
      if (some.length === 0) return;
      for (const window of some.sort((a, b) => b.text().length - a.text().length)) {
        if (characters <= most) break;
        characters -= window.text().length;
        window.halve();
        characters += window.text().length;
      }
    }
  }

  kept(): KeptRules | undefined {
    if (this.#facts.size + this.#windows.size + this.#approvals.size === 0) return undefined;
    const approvals = [...this.#approvals.values()];
    return {
      facts: [...this.#facts.values()],
      windows: [...this.#windows.values()].map((window) => window.kept()),
      ...(approvals.length === 0 ? {} : { approvals }),
    };
  }

  #characters(): number {
    let characters = 0;
    for (const [id, key] of this.#facts.values()) characters += id.length + key.length + 25;
    characters += this.#approvals.size * APPROVAL_CHARACTERS;
    for (const window of this.#windows.values()) characters += window.key.length + window.text().length + 40;
    return characters;
  }

  #put(window: Window): Window {
    const { key, windowSeconds } = window;
    this.#windows.set(windowName(key, windowSeconds), window);
    const lengths = this.#lengths.get(key);
    if (lengths === undefined) this.#lengths.set(key, new Set([windowSeconds]));
    else lengths.add(windowSeconds);
    return window;
  }
}

function sum(a: KeptAmount['amount'], b: KeptAmount['amount']): KeptAmount['amount'] {
  const nanos = a.nanos + b.nanos;
  const carried = nanos >= UNIT ? 1 : 0;
  return { units: a.units + b.units + carried, nanos: nanos - carried * UNIT };
}

const factName = (id: string, key: string): string => `${id} ${key}`;
const windowName = (key: string, windowSeconds: number): string => `${windowSeconds} ${key}`;
