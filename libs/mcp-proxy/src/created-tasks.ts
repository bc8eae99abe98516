/** A call that was answered with a task: its result is fetched later by the task's id. */
export interface TaskCall {
  readonly name: string;
  readonly eventId: string | undefined;
}

const MOST_TASKS = 10_000;

/** Calls by their task ids; above the limit the oldest are dropped, and their outcomes are not reported. */
export class CreatedTasks {
  readonly #calls = new Map<string, TaskCall>();

  remember(taskId: string, call: TaskCall): void {
    this.#calls.set(taskId, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MOST_TASKS && oldest !== undefined) this.#calls.delete(oldest);
  }

  /** Returns a call once: a task has one outcome, even if its result is fetched several times. */
  take(taskId: string | undefined): TaskCall | undefined {
    const call = taskId === undefined ? undefined : this.#calls.get(taskId);
    if (taskId !== undefined) this.#calls.delete(taskId);
    return call;
  }
}
