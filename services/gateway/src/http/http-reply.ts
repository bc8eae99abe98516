import type { ServerResponse } from 'node:http';
import type { CheckAnswer } from '@countersign/contracts';
import type { RequestSource } from '@countersign/http-edge';
import type { CheckReply, RefusalStatus } from '../check/pending-check.js';
import { sendAnswer, sendError, sendUnavailable } from './answers.js';

/** The response of `POST /v1/check`, if the client still reads it. */
export class HttpReply implements CheckReply {
  /** @param traced has the `traceparent` of the request, which an answer repeats; `null`: none */
  constructor(
    private readonly response: ServerResponse,
    private readonly traced: { readonly trace: string | null },
    private readonly requestId: string,
    /** Where the request came from. */
    readonly source: () => RequestSource,
  ) {}

  answer(answer: CheckAnswer, retryAfter: string | null, replayed: boolean): void {
    if (this.response.destroyed) return;
    sendAnswer(this.response, answer, retryAfter, replayed, this.traced.trace, this.requestId);
  }

  refuse(status: RefusalStatus, error: string, headers: readonly string[]): void {
    if (!this.response.destroyed) sendError(this.response, status, error, this.requestId, headers);
  }

  unavailable(code: 'unavailable' | 'deadline_exceeded', reason: string, eventId: string | null): void {
    if (!this.response.destroyed) sendUnavailable(this.response, code, reason, eventId, this.requestId);
  }
}
