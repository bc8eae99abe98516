import type { Guard } from './begun-action.js';
import { judge, type RequestGuardOptions, type RequestLike, type ResponseLike } from './http-request.js';

export type { RequestGuardOptions, RequestLike, ResponseLike } from './http-request.js';

/** The used part of Express's response, which is Node's. */
export interface ExpressResponse extends ResponseLike {
  writeHead(statusCode: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** Middleware of Express 4 and 5, and of Connect. */
export type Middleware<Request> = (
  request: Request,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Middleware for Express, and for any server that calls `(request, response, next)` of Node: checks before the handlers that
 * follow. A denial is answered with 403 and the body of `POST /v1/check`, a check without a decision with 503; no handler is
 * called then. The outcome is reported from the response. Errors of the options' functions go to `next`.
 */
export function guardRequests<Request extends object = RequestLike>(
  countersign: Guard,
  options: RequestGuardOptions<Request>,
): Middleware<Request> {
  return (request, response, next) => {
    judge(countersign, request, response, options).then((judged) => {
      if (judged === 'go') next();
      else if (judged !== 'gone') {
        response.writeHead(judged.status, { ...judged.headers });
        response.end(judged.body);
      }
    }, next);
  };
}
