import type { BodyShare } from './body-budget.js';

const SEGMENT = 256 * 1024;

/**
 * A body as it was sent, in segments: it is never one piece of memory, so that receiving it does not block the thread. Its
 * bytes count against the budget of bodies until it is released, which the edge does once the response has been sent.
 */
export class RawBody {
  readonly #share: BodyShare;
  #released = false;

  /** @param segments each owns its memory, so that it can be transferred */
  constructor(
    readonly segments: readonly Uint8Array<ArrayBuffer>[],
    readonly byteLength: number,
    share: BodyShare,
  ) {
    this.#share = share;
  }

  /** Returns the body in one piece; for a body that is known to be small. */
  joined(): Uint8Array {
    if (this.segments.length === 1) return this.segments[0]!;
    const bytes = new Uint8Array(this.byteLength);
    let at = 0;
    for (const segment of this.segments) {
      bytes.set(segment, at);
      at += segment.length;
    }
    return bytes;
  }

  /** True once its result is no longer needed. */
  get released(): boolean {
    return this.#released;
  }

  release(): void {
    this.#released = true;
    this.#share.giveBack();
  }
}

/** Copies chunks into segments: chunks may be one byte long, or share memory with other bodies. */
export class SegmentWriter {
  readonly #full: Uint8Array<ArrayBuffer>[] = [];
  #open = new Uint8Array(0);
  #used = 0;

  add(chunk: Uint8Array): void {
    let from = 0;
    while (from < chunk.length) {
      if (this.#used === this.#open.length) this.#begin(chunk.length - from);
      const part = chunk.subarray(from, from + this.#open.length - this.#used);
      this.#open.set(part, this.#used);
      this.#used += part.length;
      from += part.length;
    }
  }

  end(): readonly Uint8Array<ArrayBuffer>[] {
    if (this.#used > 0) this.#full.push(this.#open.slice(0, this.#used));
    this.#open = new Uint8Array(0);
    this.#used = 0;
    return this.#full;
  }

  /** Begins a segment: small for the first one, so that a small body takes little memory. */
  #begin(wanted: number): void {
    if (this.#used > 0) this.#full.push(this.#open);
    const size = this.#full.length === 0 ? 16 * 1024 : SEGMENT;
    this.#open = new Uint8Array(Math.max(size, Math.min(wanted, SEGMENT)));
    this.#used = 0;
  }
}
