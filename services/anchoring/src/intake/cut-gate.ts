/** Keeps the intake still for the moment in which a cut is read from the log and recorded. */
export class CutGate {
  #held = false;
  #opened: Promise<void> = Promise.resolve();
  #open: () => void = () => undefined;

  /** From now on nothing new is taken, until `open`. What is being taken came from the log before. */
  hold(): void {
    if (this.#held) throw new Error('a cut is being made already');
    this.#held = true;
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#held = false;
    this.#open();
  }

  /** Resolves when something may be taken. */
  async passed(): Promise<void> {
    while (this.#held) await this.#opened;
  }
}
