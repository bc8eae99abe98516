import { keyOf, type Id, type Request } from './message.js';
import type { ToolCall } from './tool-call.js';

/** A request of the client without an answer. */
export interface Waiting {
  readonly id: Id;
  readonly method: string;
  /** Answers the client's request; `null` if no answer is wanted any more. */
  readonly answer: (text: string | null) => void;
  readonly call?: ToolCall;
  /** The task of a `tasks/result`. */
  readonly taskId?: string;
  /** Aborts the check of a call. */
  readonly judging?: AbortController;
  /** Event of the check that allowed the call. */
  eventId?: string | undefined;
  sent: boolean;
  cancelled: boolean;
  /** The outcome of the call was reported, or must not be reported. */
  reported: boolean;
}

/** Pending requests of the client by id. */
export class InFlight {
  readonly #waiting = new Map<string, Waiting>();

  /** Returns `null` if a request with the same id is pending: their answers could not be distinguished. */
  add(request: Request, more: Pick<Waiting, 'answer'> & Partial<Waiting>): Waiting | null {
    const key = keyOf(request.id);
    if (this.#waiting.has(key)) return null;
    const { id, method } = request;
    const waiting: Waiting = { sent: false, cancelled: false, reported: false, ...more, id, method };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  get(id: Id): Waiting | undefined {
    return this.#waiting.get(keyOf(id));
  }

  remove(waiting: Waiting): void {
    if (this.get(waiting.id) === waiting) this.#waiting.delete(keyOf(waiting.id));
  }

  /** Removes and returns all. */
  takeAll(): Waiting[] {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    return all;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Number of calls that are being checked. */
  get judging(): number {
    return [...this.#waiting.values()].filter(({ sent }) => !sent).length;
  }
}
