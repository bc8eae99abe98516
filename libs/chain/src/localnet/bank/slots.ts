import { createHash } from 'node:crypto';
import { decodeBase58, encodeBase58 } from '../../base58.js';
import type { Commitment } from '../../port.js';

export const SLOT_MS = 400;
/** Blocks for which a blockhash can be used. */
export const BLOCKHASH_LIFE = 150;

/** Time for the embedded network: `wallMs` since the epoch for block times, `monotonicMs` for the progress of slots. */
export interface LocalnetClock {
  wallMs(): number;
  monotonicMs(): number;
}

export const SYSTEM_CLOCK: LocalnetClock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/**
 * The slots of the network, computed from the elapsed time, so that an idle network does nothing. Every slot has a
 * block, so a slot's number is also its block height. The hash of a slot's block is a function of genesis hash and
 * slot.
 */
export class Slots {
  readonly #clock: LocalnetClock;
  readonly #genesis: Uint8Array;
  readonly #firstSlot: number;
  readonly #firstMs: number;
  readonly #finalitySlots: number;
  /** Slot by blockhash, for the slots whose hash can still be used. */
  readonly #recent = new Map<string, number>();
  #newestHashed: number;
  #newestSeconds: number;

  /**
   * `afterSlot`, `afterSeconds`: slot and block time of the ledger's last transaction; the network continues after
   * them, whatever the wall clock says.
   */
  constructor(options: {
    readonly genesisHash: string;
    readonly genesisMs: number;
    readonly afterSlot: number;
    readonly afterSeconds: number;
    readonly finalityMs: number;
    readonly clock: LocalnetClock;
  }) {
    const genesis = decodeBase58(options.genesisHash);
    if (genesis?.length !== 32) throw new RangeError('genesisHash must be base58 of 32 bytes');
    this.#genesis = genesis;
    this.#clock = options.clock;
    const byWall = Math.floor((options.clock.wallMs() - options.genesisMs) / SLOT_MS);
    this.#firstSlot = Math.max(options.afterSlot + 1, byWall, 1);
    this.#firstMs = options.clock.monotonicMs();
    this.#finalitySlots = Math.ceil(options.finalityMs / SLOT_MS);
    this.#newestHashed = Math.max(-1, this.#firstSlot - 1 - BLOCKHASH_LIFE);
    this.#newestSeconds = options.afterSeconds;
  }

  /** The newest slot that a commitment includes; `finalized` is `finalityMs` behind, `confirmed` one slot at most. */
  at(commitment: Commitment): number {
    const slot = this.#firstSlot + Math.floor((this.#clock.monotonicMs() - this.#firstMs) / SLOT_MS);
    switch (commitment) {
      case 'processed':
        return slot;
      case 'confirmed':
        return Math.max(0, slot - Math.min(1, this.#finalitySlots));
      case 'finalized':
        return Math.max(0, slot - this.#finalitySlots);
    }
  }

  /** The commitment that a transaction of this slot has reached. */
  commitmentOf(slot: number): Commitment {
    if (slot <= this.at('finalized')) return 'finalized';
    return slot <= this.at('confirmed') ? 'confirmed' : 'processed';
  }

  /** Milliseconds until the next slot begins. */
  msToNextSlot(): number {
    return SLOT_MS - ((this.#clock.monotonicMs() - this.#firstMs) % SLOT_MS);
  }

  blockhash(slot: number): string {
    const slotBytes = Buffer.alloc(8);
    slotBytes.writeBigUInt64LE(BigInt(slot));
    return encodeBase58(createHash('sha256').update(this.#genesis).update(slotBytes).digest());
  }

  /** The slot of a blockhash that can be used now, or `null`. */
  usable(blockhash: string): number | null {
    const now = this.at('processed');
    for (let slot = Math.max(this.#newestHashed, now - BLOCKHASH_LIFE - 1) + 1; slot <= now; slot++) {
      this.#recent.set(this.blockhash(slot), slot);
    }
    this.#newestHashed = Math.max(this.#newestHashed, now);
    for (const [hash, slot] of this.#recent) {
      if (slot >= now - BLOCKHASH_LIFE) break;
      this.#recent.delete(hash);
    }
    return this.#recent.get(blockhash) ?? null;
  }

  /** By the wall clock, but never decreasing: after a clock that was ahead it stays until the clock has caught up. */
  blockTimeSeconds(): number {
    this.#newestSeconds = Math.max(this.#newestSeconds, Math.floor(this.#clock.wallMs() / 1000));
    return this.#newestSeconds;
  }
}
