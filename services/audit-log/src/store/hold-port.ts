import type { NewRecord, Offsets } from '@countersign/event-log';
import type { OutboxStore } from '@countersign/topics';
import type { LegalHold, Reach } from '../legal-holds/legal-hold.js';

/** Time after which an erasure that has not been ended is taken for sent or never sent, ms: no part of it can still be sent then. */
export const UNDER_WAY_MS = 60_000;

/** An erasure between the look at the holds and the end of its work. */
export interface UnderWay extends Reach {
  /** Id of the event that orders it. */
  readonly id: string;
  /** By the counters' clock. */
  readonly beganMs: number;
}

/** A hold of which it is not known yet that the archive has carried out what was ordered before it. */
export interface Unsettled {
  readonly id: string;
  /**
   * Ends of `agent-events` by partition, read after the last erasure that it reaches was registered no more: what was
   * ordered before the hold is below them. `null`: not read yet.
   */
  readonly ends: Offsets | null;
}

export type Placing = 'placed' | 'name-taken' | 'full';
export type Release = NonNullable<LegalHold['released']>;

/**
 * The legal holds of accounts, and the erasures that are under way.
 * - `place` and `begin` of one account MUST take effect one after the other: either `begin` finds the hold, or the erasure
 *   is in `underWay` once `place` has resolved.
 * - Holds are never removed. Where some are missing, `begin`, `inForce` and `unsettled` MUST reject.
 * - Methods return nothing of another account; they reject with `StoreUnreachable` while the store cannot be used.
 */
export interface HoldStore extends OutboxStore {
  /**
   * Stores a hold that is not released.
   * @param most holds that an account has at a time without those that are released
   * @param events of what the person did, for the outbox, here and below: written with the change, and without it not
   */
  place(hold: LegalHold, most: number, events?: readonly NewRecord[]): Promise<Placing>;
  /** @returns the released hold; `null`: there is none; `released-before`: nothing was changed */
  release(
    accountId: string,
    id: string,
    release: Release,
    events?: readonly NewRecord[],
  ): Promise<LegalHold | 'released-before' | null>;
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
  /** Holds from `place` until `settled` or `release`, oldest first. */
  unsettled(accountId: string): Promise<readonly Unsettled[]>;
  /** Stores the ends of a hold that is unsettled; those that were stored first stay. */
  settlesAt(accountId: string, id: string, ends: Offsets): Promise<void>;
  /** The archive has passed the hold's ends; any other id is ignored. */
  settled(accountId: string, id: string): Promise<void>;
  close(): Promise<void>;
}
