/** A call that was answered with a task: its result comes later, under the task's id. */
export interface TaskCall {
  readonly name: string;
  readonly eventId: string | undefined;
}

const MOST_TASKS = 10_000;

/** Calls by the ids of their tasks; of too many the oldest are forgotten, and their outcomes not reported. */
export class CreatedTasks {
  readonly #calls = new Map<string, TaskCall>();

  remember(taskId: string, call: TaskCall): void {
    this.#calls.set(taskId, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MOST_TASKS && oldest !== undefined) this.#calls.delete(oldest);
  }

  /** Once: a task has one outcome, however often it is asked for its result. */
  take(taskId: string | undefined): TaskCall | undefined {
    const call = taskId === undefined ? undefined : this.#calls.get(taskId);
    if (taskId !== undefined) this.#calls.delete(taskId);
    return call;
  }
}
