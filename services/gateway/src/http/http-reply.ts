import type { ServerResponse } from 'node:http';
import type { CheckAnswer } from '@countersign/contracts';
import { addressOf } from '@countersign/http-edge';
import type { RequestSource } from '@countersign/http-edge';
import type { CheckReply, RefusalStatus } from '../check/pending-check.js';
import type { CheckHeaders } from './check-headers.js';
import { sendAnswer, sendError, sendUnavailable } from './answers.js';

/** The response of `POST /v1/check`, if the client still reads it. */
export class HttpReply implements CheckReply {
  /** @param head of the request: an answer repeats its trace */
  constructor(
    private readonly response: ServerResponse,
    private readonly head: Pick<CheckHeaders, 'apiKey' | 'trace'>,
    private readonly requestId: string,
    /** Reads the client's address from the header that the edge adds. */
    private readonly behindEdge: boolean,
  ) {}

  source(): RequestSource {
    const { req } = this.response;
    return {
      requestId: this.requestId,
      address: addressOf(req, this.behindEdge),
      apiKey: this.head.apiKey,
    };
  }

  answer(answer: CheckAnswer, retryAfter: string | null, replayed: boolean): void {
    if (this.response.destroyed) return;
    sendAnswer(this.response, answer, retryAfter, replayed, this.head.trace, this.requestId);
  }

  refuse(status: RefusalStatus, error: string, headers: readonly string[]): void {
    if (!this.response.destroyed) sendError(this.response, status, error, this.requestId, headers);
  }

  unavailable(code: 'unavailable' | 'deadline_exceeded', reason: string, eventId: string | null): void {
    if (!this.response.destroyed) sendUnavailable(this.response, code, reason, eventId, this.requestId);
  }
}
