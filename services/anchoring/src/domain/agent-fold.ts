import { CompactRange, type Sha256 } from '@countersign/evidence';

/** The store holds something else than was taken from the log: nothing is built on it. */
export class WindowDamaged extends Error {
  override readonly name = 'WindowDamaged';
}

/** A run of leaf hashes as it is kept: `hashes` is 32 bytes for each sequence from `firstSequence` on. */
export interface Segment {
  readonly agentN: number;
  readonly firstSequence: number;
  readonly hashes: Uint8Array;
}

/** Leaves of one kept run at most: 256 KiB of hashes. */
export const SEGMENT_LEAVES = 8_192;
const HASH_BYTES = 32;

/**
 * The leaves of one agent in one window, one after the other: its tree's root in memory of the tree's height, and the
 * hashes that were not handed on yet.
 */
export class AgentFold {
  readonly firstSequence: number;
  readonly #agentN: number;
  readonly #range: CompactRange;
  #next: number;
  #buffer = new Uint8Array(4 * HASH_BYTES);
  #buffered = 0;

  constructor(agentN: number, firstSequence: number, sha256: Sha256) {
    this.#agentN = agentN;
    this.firstSequence = firstSequence;
    this.#next = firstSequence;
    this.#range = new CompactRange(sha256);
  }

  get lastSequence(): number {
    return this.#next - 1;
  }

  get bufferedLeaves(): number {
    return this.#buffered;
  }

  /** Gives the segment that this leaf has filled, or `null`. @throws WindowDamaged where a sequence is missing */
  add(sequence: number, hash: Uint8Array): Segment | null {
    if (sequence !== this.#next) {
      throw new WindowDamaged(`agent ${this.#agentN}: sequence ${this.#next} is missing, ${sequence} follows`);
    }
    if ((this.#buffered + 1) * HASH_BYTES > this.#buffer.length) this.#grow();
    this.#buffer.set(hash, this.#buffered * HASH_BYTES);
    this.#buffered += 1;
    this.#next += 1;
    // A copy: the row's buffer is the driver's.
    this.#range.append(Uint8Array.from(hash));
    return this.#buffered === SEGMENT_LEAVES ? this.take() : null;
  }

  /** Hands on what is buffered; `null` when nothing is. */
  take(): Segment | null {
    if (this.#buffered === 0) return null;
    const hashes = this.#buffer.slice(0, this.#buffered * HASH_BYTES);
    const segment = { agentN: this.#agentN, firstSequence: this.#next - this.#buffered, hashes };
    this.#buffer = new Uint8Array(4 * HASH_BYTES);
    this.#buffered = 0;
    return segment;
  }

  root(): Uint8Array {
    return this.#range.root();
  }

  #grow(): void {
    const larger = new Uint8Array(Math.min(this.#buffer.length * 2, SEGMENT_LEAVES * HASH_BYTES));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }
}
