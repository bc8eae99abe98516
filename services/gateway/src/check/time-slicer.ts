import { oncePerTick } from '@countersign/async';

/** Work that yields after each time slice, and returns a value. */
export type Sliced<T> = Generator<undefined, T, undefined>;

interface Task {
  /** Runs one slice. @returns whether it is over */
  runSlice(): boolean;
}

/**
 * Runs long work between other events: one slice of one task per event-loop tick, round-robin. However many tasks there
 * are, other work waits for at most one slice.
 */
export class TimeSlicer {
  readonly #tasks: Task[] = [];
  readonly #nextSlice = oncePerTick(() => this.#runNext());

  /** Tasks that are not over. */
  get size(): number {
    return this.#tasks.length;
  }

  /**
   * @param unwanted called before each slice; `true` drops the task without calling back
   * @param failed called with what the work or `done` throws
   */
  take<T>(work: Sliced<T>, unwanted: () => boolean, done: (value: T) => void, failed: (error: unknown) => void): void {
    const runSlice = (): boolean => {
      try {
        if (unwanted()) return true;
        const step = work.next();
        if (step.done === true) done(step.value);
        return step.done === true;
      } catch (error) {
        failed(error);
        return true;
      }
    };
    this.#tasks.push({ runSlice });
    this.#nextSlice();
  }

  #runNext(): void {
    const task = this.#tasks.shift();
    if (task !== undefined && !task.runSlice()) this.#tasks.push(task);
    if (this.#tasks.length > 0) this.#nextSlice();
  }
}
