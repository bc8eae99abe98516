import type { ServerResponse } from 'node:http';
import type { CheckAnswer } from '@countersign/contracts';
import type { CheckReply, RefusalStatus } from '../check/pending-check.js';
import { sendAnswer, sendError, sendUnavailable } from './answers.js';

/** The response of `POST /v1/check`, if the client still reads it. */
export class HttpReply implements CheckReply {
  /** @param traced has the `traceparent` of the request, which an answer repeats; `null`: none */
  constructor(
    private readonly response: ServerResponse,
    private readonly traced: { readonly trace: string | null },
  ) {}

  answer(answer: CheckAnswer, retryAfter: string | null, replayed: boolean): void {
    if (!this.response.destroyed) sendAnswer(this.response, answer, retryAfter, replayed, this.traced.trace);
  }

  refuse(status: RefusalStatus, error: string, headers: readonly string[]): void {
    if (!this.response.destroyed) sendError(this.response, status, error, headers);
  }

  unavailable(code: 'unavailable' | 'deadline_exceeded', reason: string, eventId: string | null): void {
    if (!this.response.destroyed) sendUnavailable(this.response, code, reason, eventId);
  }
}
