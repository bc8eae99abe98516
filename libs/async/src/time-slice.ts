import { setImmediate as nextTick } from 'node:timers/promises';

/** The longest that one caller may hold the thread, ms. */
const LONGEST_MS = 5;

/** Divides long work on a thread that others share: between its steps, `if (slice.over) await slice.next();`. */
export class TimeSlice {
  #beganAt = performance.now();

  get over(): boolean {
    return performance.now() - this.#beganAt > LONGEST_MS;
  }

  /** Begins another slice, once everything else that was waiting for the thread has run. */
  async next(): Promise<void> {
    await nextTick();
    this.#beganAt = performance.now();
  }
}

/** Runs a generator to its end and resolves with its value; yields the thread between steps, once a slice is over. */
export async function runInSlices<T>(steps: Generator<undefined, T, undefined>): Promise<T> {
  const slice = new TimeSlice();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slice.over) await slice.next();
  }
}
