import type { Timed } from '@countersign/async';
import type { CheckAnswer } from '@countersign/contracts';
import type { RequestSource } from '@countersign/http-edge';
import type { UnansweredCheck } from '../domain/unanswered-event.js';

/** Statuses of checks that were not judged. */
export type RefusalStatus = 400 | 401 | 404 | 408 | 413 | 415;

/** The response of a check: exactly one of its methods is called, once. */
export interface CheckReply {
  /**
   * @param retryAfter seconds
   * @param replayed it is the answer of an earlier check with this Idempotency-Key
   */
  answer(answer: CheckAnswer, retryAfter: string | null, replayed: boolean): void;
  refuse(status: RefusalStatus, error: string, headers: readonly string[]): void;
  /** @param eventId an event was sent, and is in doubt */
  unavailable(code: 'unavailable' | 'deadline_exceeded', reason: string, eventId: string | null): void;
  /** Absent where another place logs refusals. */
  source?(): RequestSource;
}

/** Notified of the end of checks. */
export interface CheckObserver {
  /** An event was sent and its check ends with 503. */
  unanswered(check: UnansweredCheck, claimed: boolean): void;
  /** @param reason of a refusal */
  ended(check: PendingCheck, status: number, reason: string | null, reply: CheckReply): void;
  /** An unexpected error. */
  failed(error: unknown): void;
}

const DEADLINE = 'The decision could not be made durable in time. Do not act; try again.';
const SLOW_BODY = 'the body did not come in time: send it faster, and at once';
const FAILED = 'The check could not be completed. Do not act; try again.';
/** nginx's status for clients that closed the connection. */
const CALLER_GONE = 499;

/** One check from its head to its answer. It is answered exactly once, by the first event that ends it. */
export class PendingCheck implements Timed {
  /** Set once its event is passed to the log. */
  sent: UnansweredCheck | null = null;
  /** The account that holds its slot, once it is known. */
  accountId: string | null = null;
  /** Its body is being read. */
  reading = false;
  /** A retry with its idempotency key may still get the answer of this event. */
  claimed = false;
  readonly #observer: CheckObserver;
  /** `null` once it is over, so that no request is retained. */
  #reply: CheckReply | null;

  constructor(
    reply: CheckReply,
    observer: CheckObserver,
    readonly startedAt: number,
    readonly deadlineAt: number,
    /** Memory reserved for its body. */
    public reservedBytes: number,
    private readonly now: () => number,
  ) {
    this.#reply = reply;
    this.#observer = observer;
  }

  get over(): boolean {
    return this.#reply === null;
  }

  /** As {@link over}, but also ends it when its deadline has passed: in a starved process timers are late. */
  overByNow(): boolean {
    if (!this.over && this.now() >= this.deadlineAt) this.expire();
    return this.over;
  }

  expire(): void {
    if (this.reading) this.refuse(408, SLOW_BODY);
    else this.unavailable('deadline_exceeded', DEADLINE);
  }

  /** For unexpected errors: closed, like everything undecided. */
  fail(error: unknown): void {
    this.#observer.failed(error);
    this.unavailable('unavailable', FAILED);
  }

  /** Not after its deadline: then it is 503, whatever the answer. */
  answer(answer: CheckAnswer, retryAfter: string | null, replayed = false): void {
    if (!this.overByNow()) this.#end(answer.status, null)?.answer(answer, retryAfter, replayed);
  }

  refuse(status: RefusalStatus, error: string, headers: readonly string[] = []): void {
    this.#end(status, error)?.refuse(status, error, headers);
  }

  /** 503. When its event was sent, the client gets its id, and `action.unanswered` will follow. */
  unavailable(code: 'unavailable' | 'deadline_exceeded', reason: string): void {
    if (this.over) return;
    if (this.sent !== null) this.#observer.unanswered(this.sent, this.claimed);
    this.#end(503, reason)?.unavailable(code, reason, this.sent?.eventId ?? null);
  }

  /** The client has closed the connection: there is no one to answer. */
  abandon(): void {
    this.#end(CALLER_GONE, null);
  }

  /** The reply, once. */
  #end(status: number, reason: string | null): CheckReply | null {
    const reply = this.#reply;
    if (reply === null) return null;
    this.#reply = null;
    this.#observer.ended(this, status, reason, reply);
    return reply;
  }
}
