import type { ServerResponse } from 'node:http';
import type { CheckAnswer } from '@countersign/contracts';
import type { UnansweredCheck } from '../domain/unanswered-event.js';
import { sendAnswer, sendError, sendUnavailable } from '../http/answers.js';
import type { Timed } from './deadlines.js';

/** Told how checks end. */
export interface CheckObserver {
  /** An event was sent and its check ends with 503. */
  unanswered(check: UnansweredCheck, claimed: boolean): void;
  /** @param reason of a refusal */
  ended(check: CheckUnderWay, status: number, reason: string | null): void;
  /** What must not happen did. */
  failed(error: unknown): void;
}

const DEADLINE = 'The decision could not be made durable in time. Do not act; try again.';
const FAILED = 'The check could not be completed. Do not act; try again.';
/** As proxies count callers that went away. */
const CALLER_GONE = 499;

/** One check from its head to its answer. It is answered once, whoever comes first. */
export class CheckUnderWay implements Timed {
  /** Set once its event is given to the log. */
  sent: UnansweredCheck | null = null;
  /** A retry with its idempotency key may still get the answer of this event. */
  claimed = false;
  readonly #observer: CheckObserver;
  /** `null` once it is over: what is over holds no request. */
  #response: ServerResponse | null;

  constructor(
    response: ServerResponse,
    observer: CheckObserver,
    readonly startedAt: number,
    readonly deadlineAt: number,
    /** Memory that its body may take. */
    readonly reservedBytes: number,
  ) {
    this.#response = response;
    this.#observer = observer;
  }

  get over(): boolean {
    return this.#response === null;
  }

  expire(): void {
    this.unavailable('deadline_exceeded', DEADLINE);
  }

  /** For errors that nobody foresaw: closed, like everything that is not decided. */
  fail(error: unknown): void {
    this.#observer.failed(error);
    this.unavailable('unavailable', FAILED);
  }

  answer(answer: CheckAnswer, retryAfter: string | null): void {
    const response = this.#end(answer.status, null);
    if (response !== null) sendAnswer(response, answer, retryAfter);
  }

  refuse(status: 400 | 401 | 404 | 413 | 415, error: string, headers: readonly string[] = []): void {
    const response = this.#end(status, error);
    if (response !== null) sendError(response, status, error, headers);
  }

  /** 503. When its event was sent, the caller gets its id, and `action.unanswered` will follow. */
  unavailable(code: 'unavailable' | 'deadline_exceeded', reason: string): void {
    if (this.over) return;
    if (this.sent !== null) this.#observer.unanswered(this.sent, this.claimed);
    const response = this.#end(503, reason);
    if (response !== null) sendUnavailable(response, code, reason, this.sent?.eventId ?? null);
  }

  /** The caller has gone: nobody is left to answer. */
  abandon(): void {
    this.#end(CALLER_GONE, null);
  }

  /** The response, once, if there is still someone to read it. */
  #end(status: number, reason: string | null): ServerResponse | null {
    const response = this.#response;
    if (response === null) return null;
    this.#response = null;
    this.#observer.ended(this, status, reason);
    return response.destroyed ? null : response;
  }
}
