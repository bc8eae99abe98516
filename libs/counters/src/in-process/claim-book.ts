import { CLAIM_MS } from '../port.js';
import type { Judgement, StoredAnswer } from '../port.js';

/** What an idempotency key stands for. */
export interface Claim {
  readonly name: string;
  readonly bodySha256: string;
  readonly agentId: string;
  readonly atMs: number;
  /** The freeze flag that it was judged under. */
  readonly frozen: boolean;
  /** `null` once it is answered. */
  judgement: Judgement | null;
  /** `null` while it is open. */
  answer: StoredAnswer | null;
  /** Checks that were given the judgement and have not failed for certain. */
  attempts: number;
}

/** Claims looked at for expiry in one step. */
const STEP = 64;

export function claimName(accountId: string, keySha256: string): string {
  return `${accountId} ${keySha256}`;
}

/** Claims by name, oldest first, each for 24 hours; expired ones go in small steps. */
export class ClaimBook {
  readonly #most: number;
  #claims = new Map<string, Claim>();
  #oldestFirst = this.#claims.values();
  #next: Claim | null = null;

  constructor(most: number) {
    this.#most = most;
  }

  get full(): boolean {
    return this.#claims.size >= this.#most;
  }

  get size(): number {
    return this.#claims.size;
  }

  /** The claim, unless it has expired. */
  get(name: string, nowMs: number): Claim | undefined {
    const claim = this.#claims.get(name);
    return claim === undefined || nowMs - claim.atMs >= CLAIM_MS ? undefined : claim;
  }

  /** Puts a claim at the end of the order, in place of an older one of its name. */
  put(claim: Claim): void {
    this.#claims.delete(claim.name);
    this.#claims.set(claim.name, claim);
  }

  drop(name: string): void {
    this.#claims.delete(name);
  }

  clear(): void {
    this.#claims.clear();
    this.sort();
  }

  /** Lets some expired claims go. */
  expire(nowMs: number): void {
    for (let step = 0; step < STEP; step++) {
      if (this.#next === null) {
        let found = this.#oldestFirst.next();
        if (found.done === true) {
          // An iterator that has ended stays ended, also when claims were added since.
          this.#oldestFirst = this.#claims.values();
          found = this.#oldestFirst.next();
          if (found.done === true) return;
        }
        this.#next = found.value;
      }
      if (nowMs - this.#next.atMs < CLAIM_MS) return;
      if (this.#claims.get(this.#next.name) === this.#next) this.#claims.delete(this.#next.name);
      this.#next = null;
    }
  }

  /** Orders by time again, after claims were put in another order. */
  sort(): void {
    const claims = [...this.#claims.values()].sort((a, b) => a.atMs - b.atMs);
    this.#claims = new Map(claims.map((claim) => [claim.name, claim]));
    this.#oldestFirst = this.#claims.values();
    this.#next = null;
  }
}
