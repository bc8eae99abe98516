import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { SessionCaller } from './http-contract.js';

/** Checked input of a request, as a handler receives it. */
export interface RouteInput<B = unknown, Q = Readonly<Record<string, unknown>>, C = SessionCaller> {
  /** Path parameters, decoded and validated. */
  readonly params: Readonly<Record<string, string>>;
  /** Declared query parameters, coerced, with defaults filled in. */
  readonly query: Q;
  /** The validated JSON body; `undefined` on a route without one. */
  readonly body: B;
  /** `SessionCaller`, `ApiKeyCaller` or `null`, by the route's `auth`. */
  readonly caller: C;
  /**
   * Judges the credentials of the request again: for answers that go on for long.
   * @throws HttpRefusal 401 once they have ended; 503 while they cannot be checked
   */
  readonly identifyAgain: () => Promise<unknown>;
  readonly headers: IncomingHttpHeaders;
  /** The client's IP address. */
  readonly remoteAddress: string;
  /** The request's head as received: method, target, and headers as alternating names and values. */
  readonly sent: { readonly method: string; readonly target: string; readonly rawHeaders: readonly string[] };
}

const inputs = new WeakMap<IncomingMessage, RouteInput<unknown, unknown, unknown>>();

export function attachInput(request: IncomingMessage, input: RouteInput<unknown, unknown, unknown>): void {
  inputs.set(request, input);
}

/** @throws if the request did not pass the edge */
export function inputOf(request: IncomingMessage): RouteInput<unknown, unknown, unknown> {
  const input = inputs.get(request);
  if (input === undefined) throw new Error('the request did not pass the edge');
  return input;
}
