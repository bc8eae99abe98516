import { oncePerTick } from '@countersign/async';

/** Work that gives way after each of its turns, and ends with a value. */
export type InTurns<T> = Generator<undefined, T, undefined>;

interface Task {
  /** Whether it is over. */
  turn(): boolean;
}

/**
 * Does long work beside everything else: in each turn of the event loop one turn of one task, the next task's in the
 * next. However many there are, nobody else waits for more than one.
 */
export class TurnTaker {
  readonly #tasks: Task[] = [];
  readonly #nextTurn = oncePerTick(() => this.#turn());

  /** Tasks that are not over. */
  get size(): number {
    return this.#tasks.length;
  }

  /**
   * @param unwanted asked before each turn: then it is dropped, and nothing is called
   * @param failed called with what the work or `done` throws
   */
  take<T>(work: InTurns<T>, unwanted: () => boolean, done: (value: T) => void, failed: (error: unknown) => void): void {
    const turn = (): boolean => {
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
    this.#tasks.push({ turn });
    this.#nextTurn();
  }

  #turn(): void {
    const task = this.#tasks.shift();
    if (task !== undefined && !task.turn()) this.#tasks.push(task);
    if (this.#tasks.length > 0) this.#nextTurn();
  }
}
