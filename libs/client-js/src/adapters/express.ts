import type { Guard } from './begun-action.js';
import { judge, type RequestGuardOptions, type RequestLike, type ResponseLike } from './http-request.js';

export type { RequestGuardOptions, RequestLike, ResponseLike } from './http-request.js';

/** What is used of Express's response, which is Node's. */
export interface ExpressResponse extends ResponseLike {
  writeHead(statusCode: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** Of Express 4 and 5, and of Connect. */
export type Middleware<Request> = (
  request: Request,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Middleware for Express, and for whatever calls `(request, response, next)` of Node: asks before the handlers that follow
 * it. A denial is 403 with the denial as `POST /v1/check` words it; without a decision it is 503; then no handler is called.
 * What the handlers answer is reported as the outcome. What the options' functions throw goes to `next`.
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
