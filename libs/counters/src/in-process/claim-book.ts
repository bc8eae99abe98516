import { ALLOW_REPLAY_MS, CLAIM_MS } from '../port.js';
import type { ClaimBounds, ClaimFigures, Judgement, StoredAnswer } from '../port.js';
import { ClaimHolders } from './claim-holders.js';
import type { ClaimHolder } from './claim-holders.js';

/** The state of an idempotency key. */
export interface Claim {
  readonly name: string;
  readonly accountId: string;
  readonly bodySha256: string;
  readonly agentId: string;
  readonly atMs: number;
  /** The freeze flag at the judgement. */
  readonly frozen: boolean;
  /** Version of the profile that judges it; once it is answered `null` for a denial, -1 for an unknown one. */
  allowedBy: number | null;
  /** `null` once it is answered. */
  judgement: Judgement | null;
  /** `null` while it is open. */
  answer: StoredAnswer | null;
  /** Checks that received the judgement and have not certainly failed. */
  attempts: number;
  /** The answered claim in whose place it is open; `null`: there was none. */
  former: Claim | null;
}

/** Claims that one step inspects for expiry. */
const STEP = 64;

export function claimName(accountId: string, keySha256: string): string {
  return `${accountId} ${keySha256}`;
}

/** Reports whether the answer of a claim still holds for an agent with this profile and freeze flag. */
export function holds({ allowedBy, atMs }: Claim, profileVersion: number, frozen: boolean, nowMs: number): boolean {
  return allowedBy === null || (allowedBy === profileVersion && !frozen && nowMs - atMs < ALLOW_REPLAY_MS);
}

/**
 * Claims by name, oldest first, each for 24 hours; expired ones are dropped in small steps. At the bound of its account
 * a new claim replaces the account's oldest answered one, at the overall bound that of the account with the most.
 */
export class ClaimBook {
  readonly #bounds: ClaimBounds;
  readonly #holders = new ClaimHolders<Claim>();
  #claims = new Map<string, Claim>();
  #oldestFirst = this.#claims.values();
  #next: Claim | null = null;
  #answered = 0;
  #evicted = 0;

  constructor(bounds: ClaimBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#claims.size;
  }

  figures(): ClaimFigures {
    return { open: this.#claims.size - this.#answered, answered: this.#answered, evicted: this.#evicted };
  }

  /** The claim, unless it has expired. */
  get(name: string, nowMs: number): Claim | undefined {
    const claim = this.#claims.get(name);
    return claim === undefined || nowMs - claim.atMs >= CLAIM_MS ? undefined : claim;
  }

  /** Makes room for one more claim of the account; returns the bound that leaves none, `null` where there is room. */
  makeRoom(accountId: string): number | null {
    const own = this.#holders.of(accountId);
    if (own !== undefined && own.size >= this.#bounds.account && !this.#evict(own)) return this.#bounds.account;
    if (this.#claims.size < this.#bounds.all) return null;
    const evicted = this.#evict(this.#holders.largest()) || this.#evict(this.#holders.of(accountId));
    return evicted ? null : this.#bounds.all;
  }

  /** Puts a claim at the end of the order, replacing an older one of its name. */
  put(claim: Claim): void {
    this.drop(claim.name);
    this.#claims.set(claim.name, claim);
    const holder = this.#holders.add(claim.accountId);
    if (claim.answer !== null) this.#queue(holder, claim);
  }

  answer(claim: Claim, answer: StoredAnswer, allowedBy: number | null): void {
    claim.answer = answer;
    claim.allowedBy = allowedBy;
    claim.judgement = null;
    claim.former = null;
    const holder = this.#holders.of(claim.accountId);
    if (holder !== undefined) this.#queue(holder, claim);
  }

  /** Drops an open claim that came to nothing: the answered one in whose place it was stays, until it expires. */
  release({ name, former }: Claim, nowMs: number): void {
    this.drop(name);
    if (former === null || nowMs - former.atMs >= CLAIM_MS) return;
    // Not the same object: the queue may still hold that one, as dropped.
    const claim = { ...former };
    this.#claims.set(name, claim);
    this.#answered += 1;
    this.#holders.add(claim.accountId).answered.insert(claim, ({ atMs }) => atMs > claim.atMs);
  }

  drop(name: string): void {
    const claim = this.#claims.get(name);
    if (claim === undefined) return;
    this.#claims.delete(name);
    if (claim.answer !== null) this.#answered -= 1;
    const holder = this.#holders.remove(claim.accountId);
    holder?.answered.dropWhile((one) => !this.#has(one));
  }

  clear(): void {
    this.#claims.clear();
    this.#evicted = 0;
    this.sort();
  }

  /** Drops some expired claims. */
  expire(nowMs: number): void {
    for (let step = 0; step < STEP; step++) {
      if (this.#next === null) {
        let found = this.#oldestFirst.next();
        if (found.done === true) {
          // An iterator that has ended stays ended, even when claims were added since.
          this.#oldestFirst = this.#claims.values();
          found = this.#oldestFirst.next();
          if (found.done === true) return;
        }
        this.#next = found.value;
      }
      if (nowMs - this.#next.atMs < CLAIM_MS) return;
      if (this.#has(this.#next)) this.drop(this.#next.name);
      this.#next = null;
    }
  }

  /** Sorts by time again, after claims were put in another order, and keeps the bounds. */
  sort(): void {
    const claims = [...this.#claims.values()].sort((a, b) => a.atMs - b.atMs);
    this.#claims = new Map();
    this.#holders.clear();
    this.#answered = 0;
    for (const claim of claims) {
      if (this.makeRoom(claim.accountId) === null) this.put(claim);
    }
    this.#oldestFirst = this.#claims.values();
    this.#next = null;
  }

  #queue(holder: ClaimHolder<Claim>, claim: Claim): void {
    this.#answered += 1;
    holder.answered.push(claim);
  }

  #has(claim: Claim): boolean {
    return this.#claims.get(claim.name) === claim;
  }

  #evict(holder: ClaimHolder<Claim> | undefined): boolean {
    const oldest = holder?.answered.first((one) => this.#has(one));
    if (oldest === undefined) return false;
    this.drop(oldest.name);
    this.#evicted += 1;
    return true;
  }
}
