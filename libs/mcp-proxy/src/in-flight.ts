import { keyOf, type Id, type Request } from './message.js';
import type { ToolCall } from './tool-call.js';

/** A request of the client that has no answer yet. */
export interface Waiting {
  readonly id: Id;
  readonly method: string;
  /** To the client: what the request is answered with; `null` where nobody wants an answer any more. */
  readonly answer: (text: string | null) => void;
  readonly call?: ToolCall;
  /** Of a `tasks/result`. */
  readonly taskId?: string;
  /** Ends the check of a call. */
  readonly judging?: AbortController;
  /** The event of the check that allowed the call. */
  eventId?: string | undefined;
  sent: boolean;
  cancelled: boolean;
  /** What became of the call was told, or is not to be told. */
  told: boolean;
}

/** Requests of the client by their ids, so that each answer is known for what it is. */
export class InFlight {
  readonly #waiting = new Map<string, Waiting>();

  /** `null` where a request of the same id waits: nobody could tell their answers apart. */
  add(request: Request, more: Pick<Waiting, 'answer'> & Partial<Waiting>): Waiting | null {
    const key = keyOf(request.id);
    if (this.#waiting.has(key)) return null;
    const { id, method } = request;
    const waiting: Waiting = { sent: false, cancelled: false, told: false, ...more, id, method };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  get(id: Id): Waiting | undefined {
    return this.#waiting.get(keyOf(id));
  }

  remove(waiting: Waiting): void {
    if (this.get(waiting.id) === waiting) this.#waiting.delete(keyOf(waiting.id));
  }

  /** All of them, and none is left. */
  takeAll(): Waiting[] {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    return all;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Calls that are being checked. */
  get judging(): number {
    return [...this.#waiting.values()].filter(({ sent }) => !sent).length;
  }
}
