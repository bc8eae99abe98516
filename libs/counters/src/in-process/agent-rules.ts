import type { HeldAmount, RuleBounds, RuleCounts, RuleSnapshot, TripFact } from '../rule-trip.js';
import { UNKNOWN_FACTS } from '../rule-trip.js';
import { Fact } from './fact.js';
import { LimitWindow } from './limit-window.js';

/** Facts and windows of all agents together. */
export class RuleRoom {
  /** Number of facts and windows that are kept. */
  kept = 0;

  /** @param reclaim removes expired facts and windows of all agents */
  constructor(
    readonly bounds: RuleBounds,
    readonly reclaim: (nowMs: number) => void,
  ) {}
}

/** Facts and windows of one agent. */
export class AgentRules {
  /** Amounts in all windows. */
  amounts = 0;
  /** Until then a fact may have been set for which there was no room, ms. */
  unknownUntilMs = 0;
  readonly #facts = new Map<string, Fact>();
  readonly #windows = new Map<string, LimitWindow>();
  readonly #room: RuleRoom;
  /** No fact or window expires before. */
  #soonestMs = Infinity;

  constructor(room: RuleRoom) {
    this.#room = room;
  }

  /** Number of facts and windows that are kept. */
  get kept(): number {
    return this.#facts.size + this.#windows.size;
  }

  fact(fact: TripFact): Fact | undefined {
    return this.#facts.get(nameOf(fact));
  }

  window(key: string): LimitWindow | undefined {
    return this.#windows.get(key);
  }

  /** Removes what the window no longer counts. */
  trim(window: LimitWindow, nowMs: number, windowMs: number): void {
    this.amounts -= window.trim(nowMs, windowMs);
  }

  /**
   * Sets a fact; {@link UNKNOWN_FACTS} makes all of them unknown, and needs no room.
   * @param lengthMs time for which the fact is set by the check of this order
   */
  setFact(fact: TripFact, order: number, nowMs: number, lengthMs: number): void {
    if (fact.id === UNKNOWN_FACTS.id) {
      this.unknownUntilMs = Math.max(this.unknownUntilMs, nowMs + lengthMs);
      return;
    }
    let kept = this.fact(fact);
    if (kept === undefined) {
      this.#facts.set(nameOf(fact), (kept = new Fact()));
      this.#room.kept += 1;
    }
    kept.set(order, nowMs + lengthMs);
    this.#keep(kept, nowMs, lengthMs);
  }

  count({ key, order, atMs, amount }: HeldAmount, windowMs: number): void {
    let window = this.#windows.get(key);
    if (window === undefined) {
      this.#windows.set(key, (window = new LimitWindow()));
      this.#room.kept += 1;
    }
    window.add({ order, atMs, amount });
    this.amounts += 1;
    this.#keep(window, atMs, windowMs);
  }

  giveBack({ key, ...counted }: HeldAmount): void {
    if (this.#windows.get(key)?.remove(counted) === true) this.amounts -= 1;
  }

  /** Reverts what the check of this order and time set and counted. */
  revert({ facts, limits }: RuleCounts, order: number, atMs: number): void {
    for (const fact of facts) this.fact(fact)?.revert(order);
    for (const { key, amount } of limits) this.giveBack({ key, order, atMs, amount });
  }

  restore({ facts, limits }: RuleSnapshot, nowMs: number): void {
    for (const { order, expiresAtMs, ...fact } of facts) {
      if (expiresAtMs > nowMs) this.setFact(fact, order, nowMs, expiresAtMs - nowMs);
    }
    for (const { windowSeconds, ...held } of limits) {
      if (nowMs - held.atMs < windowSeconds * 1000) this.count(held, windowSeconds * 1000);
    }
  }

  /** Counts what a check of the log set and counted. */
  replay({ facts, limits }: RuleCounts, order: number, atMs: number, nowMs: number): void {
    for (const { expiresAtMs, ...fact } of facts) {
      if (expiresAtMs > nowMs) this.setFact(fact, order, atMs, expiresAtMs - atMs);
    }
    for (const { key, amount, windowSeconds } of limits) {
      if (nowMs - atMs < windowSeconds * 1000) this.count({ key, order, atMs, amount }, windowSeconds * 1000);
    }
  }

  /** Removes expired facts and windows; `true` when nothing is left. */
  forget(nowMs: number): boolean {
    if (nowMs >= this.#soonestMs) {
      this.#soonestMs = Infinity;
      this.#forget(this.#facts, nowMs, () => undefined);
      this.#forget(this.#windows, nowMs, (window) => (this.amounts -= window.count));
    }
    return this.kept === 0 && this.unknownUntilMs <= nowMs;
  }

  /** Removes everything. */
  clear(): void {
    this.#room.kept -= this.kept;
    this.#facts.clear();
    this.#windows.clear();
    this.amounts = 0;
    this.unknownUntilMs = 0;
  }

  #forget<K extends Fact | LimitWindow>(all: Map<string, K>, nowMs: number, removed: (one: K) => void): void {
    for (const [name, one] of all) {
      if (one.untilMs > nowMs) {
        this.#soonestMs = Math.min(this.#soonestMs, one.untilMs);
        continue;
      }
      all.delete(name);
      this.#room.kept -= 1;
      removed(one);
    }
  }

  #keep(one: Fact | LimitWindow, nowMs: number, lengthMs: number): void {
    if (one.untilMs >= nowMs + lengthMs) return;
    one.untilMs = nowMs + 2 * lengthMs;
    this.#soonestMs = Math.min(this.#soonestMs, one.untilMs);
  }
}

function nameOf({ key, id }: TripFact): string {
  return `${key} ${id}`;
}
