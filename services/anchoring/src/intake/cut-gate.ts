import type { Offsets } from '@countersign/event-log';

/**
 * Keeps the intake below the offsets of a cut that is being made, so that nothing above a cut is taken before the cut
 * is recorded. Whoever takes leaves asks for the limit first; what lies above waits until the gate opens.
 */
export class CutGate {
  #held = false;
  #limits: Offsets | null = null;
  #changed: Promise<void> = Promise.resolve();
  #change: () => void = () => undefined;

  /** From now on nothing new is taken, until `limitTo` or `open`. What is being taken came from the log before. */
  hold(): void {
    if (this.#held) throw new Error('a cut is being made already');
    this.#held = true;
    this.#renew();
  }

  /** Everything below these offsets may be taken. */
  limitTo(offsets: Offsets): void {
    this.#limits = offsets;
    this.#signal();
  }

  open(): void {
    this.#held = false;
    this.#limits = null;
    this.#signal();
  }

  /** The offset that must not be reached, once there is something to take from `offset` on. */
  async limitFrom(partition: number, offset: number): Promise<number> {
    for (;;) {
      if (!this.#held) return Infinity;
      const limit = this.#limits?.[partition];
      if (limit !== undefined && offset < limit) return limit;
      await this.#changed;
    }
  }

  #renew(): void {
    this.#changed = new Promise((resolve) => {
      this.#change = resolve;
    });
  }

  #signal(): void {
    const change = this.#change;
    this.#renew();
    change();
  }
}
