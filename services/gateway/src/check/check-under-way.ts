import type { ServerResponse } from 'node:http';
import type { CheckAnswer } from '@countersign/contracts';
import type { UnansweredCheck } from '../domain/unanswered-event.js';
import { sendAnswer, sendError, sendUnavailable } from '../http/answers.js';
import type { Timed } from './deadlines.js';

/** Told how checks end. */
export interface CheckObserver {
  /** An event was sent and its check ends with 503. */
  unanswered(check: UnansweredCheck, claimed: boolean): void;
  ended(check: CheckUnderWay, status: number, reason: string | null): void;
}

const DEADLINE = 'The decision could not be made durable in time. Do not act; try again.';

/** One check from its head to its answer. It is answered once, whoever comes first. */
export class CheckUnderWay implements Timed {
  over = false;
  /** Set once its event is given to the log. */
  sent: UnansweredCheck | null = null;
  /** A retry with its idempotency key may still get the answer of this event. */
  claimed = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly observer: CheckObserver,
    readonly startedAt: number,
    readonly deadlineAt: number,
    /** Memory that its body may take. */
    readonly reservedBytes: number,
  ) {}

  expire(): void {
    this.unavailable('deadline_exceeded', DEADLINE);
  }

  answer(answer: CheckAnswer, retryAfter: string | null): void {
    if (!this.#end(answer.status, null)) return;
    if (!this.response.destroyed) sendAnswer(this.response, answer, retryAfter);
  }

  refuse(status: 400 | 401 | 404 | 413 | 415, error: string, headers: readonly string[] = []): void {
    if (!this.#end(status, error)) return;
    if (!this.response.destroyed) sendError(this.response, status, error, headers);
  }

  /** 503. When its event was sent, the caller gets its id, and `action.unanswered` will follow. */
  unavailable(code: 'unavailable' | 'deadline_exceeded', reason: string): void {
    if (!this.#end(503, reason)) return;
    if (this.sent !== null) this.observer.unanswered(this.sent, this.claimed);
    if (!this.response.destroyed) sendUnavailable(this.response, code, reason, this.sent?.eventId ?? null);
  }

  /** The caller has gone: nobody is left to answer. */
  abandon(): void {
    this.#end(499, null);
  }

  #end(status: number, reason: string | null): boolean {
    if (this.over) return false;
    this.over = true;
    this.observer.ended(this, status, reason);
    return true;
  }
}
