import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiKeyPowers, Role } from '@countersign/contracts';

/** The caller of a dashboard route. */
export interface SessionCaller {
  readonly sessionId: string;
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
}

/** The caller of an API-key route. */
export interface ApiKeyCaller {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly powers: ApiKeyPowers;
}

/**
 * Thrown by a handler to refuse a request with `status` and the public message of `{error}`. The message says what to
 * change; it never contains paths, queries, stack traces or a driver's message.
 */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 429 | 500 | 503,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Replaces `{error}` if the contract has another body. */
    readonly body: unknown = undefined,
  ) {
    super(message);
  }
}

/** Answers a request itself and returns true, or leaves it untouched and returns false. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse) => boolean;
