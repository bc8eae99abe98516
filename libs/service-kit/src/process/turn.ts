import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long one caller may hold the thread, ms. */
const LONGEST_MS = 5;

/** Work for one caller on a thread that others share: between its steps, `if (turn.over) await turn.next();`. */
export class Turn {
  #beganAt = performance.now();

  get over(): boolean {
    return performance.now() - this.#beganAt > LONGEST_MS;
  }

  /** Resolves when the others have had their turn. */
  async next(): Promise<void> {
    await nextTurn();
    this.#beganAt = performance.now();
  }
}

/** What the steps give; others of the thread have their turn between steps, once a few milliseconds have gathered. */
export async function inTurns<T>(steps: Generator<undefined, T, undefined>): Promise<T> {
  const turn = new Turn();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (turn.over) await turn.next();
  }
}
