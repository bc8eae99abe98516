import { setImmediate as nextTurn } from 'node:timers/promises';

export const LONGEST_TURN_MS = 5;

/** What the steps give; others of the thread have their turn between steps, once a few milliseconds have gathered. */
export async function inTurns<T>(steps: Generator<undefined, T, undefined>): Promise<T> {
  for (let turnBegan = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - turnBegan < LONGEST_TURN_MS) continue;
    await nextTurn();
    turnBegan = performance.now();
  }
}
