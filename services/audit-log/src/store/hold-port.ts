import type { LegalHold, Reach } from '../legal-holds/legal-hold.js';

/** Time after which an erasure that has not been ended is taken for ended, ms: no part of it can still be sent then. */
export const UNDER_WAY_MS = 60_000;

/** An erasure between the look at the holds and the end of its work. */
export interface UnderWay extends Reach {
  /** Id of the event that orders it. */
  readonly id: string;
  /** By the counters' clock. */
  readonly beganMs: number;
}

export type Placing = 'placed' | 'name-taken' | 'full';
export type Release = NonNullable<LegalHold['released']>;

/**
 * The legal holds of accounts, and the erasures that are under way.
 * - `place` and `begin` of one account MUST take effect one after the other: either `begin` finds the hold, or the erasure
 *   is in `underWay` once `place` has resolved.
 * - Holds are never removed. Where some are missing, `begin` and `inForce` MUST reject.
 * - Methods return nothing of another account; they reject with `StoreUnreachable` while the store cannot be used.
 */
export interface HoldStore {
  /**
   * Stores a hold that is not released.
   * @param most holds that an account has at a time without those that are released
   */
  place(hold: LegalHold, most: number): Promise<Placing>;
  /** @returns the released hold; `null`: there is none; `released-before`: nothing was changed */
  release(accountId: string, id: string, release: Release): Promise<LegalHold | 'released-before' | null>;
  find(accountId: string, id: string): Promise<LegalHold | null>;
  /** Newest first. */
  list(
    accountId: string,
    limit: number,
    offset: number,
  ): Promise<{ readonly holds: readonly LegalHold[]; readonly total: number }>;
  /** Those that are not released, oldest first. */
  inForce(accountId: string): Promise<readonly LegalHold[]>;
  /**
   * Registers an erasure, unless a hold keeps any of what it removes.
   * @param nowMs the counters' clock; what began more than {@link UNDER_WAY_MS} before is dropped
   * @returns the holds that keep it; empty: it is registered
   */
  begin(reach: Reach, id: string, nowMs: number): Promise<readonly LegalHold[]>;
  /** Ends a registered erasure; any other id is ignored. */
  end(accountId: string, id: string): Promise<void>;
  /** Erasures that are registered, without those that began more than {@link UNDER_WAY_MS} before `nowMs`. */
  underWay(accountId: string, nowMs: number): Promise<readonly UnderWay[]>;
  close(): Promise<void>;
}
