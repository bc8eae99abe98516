import type { Guard } from './begun-action.js';
import { judge, type RequestGuardOptions, type RequestLike, type ResponseLike } from './http-request.js';

export type { RequestGuardOptions, RequestLike, ResponseLike } from './http-request.js';

/** The used part of Fastify's reply. */
export interface FastifyReplyLike {
  readonly raw: ResponseLike;
  code(statusCode: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(payload: unknown): unknown;
}

/** The used part of a Fastify instance. */
export interface FastifyLike<Request> {
  addHook(name: 'preHandler', hook: (request: Request, reply: FastifyReplyLike) => Promise<unknown>): unknown;
}

/**
 * A plugin for Fastify: `app.register(guardRequests(countersign, { action }))` checks before each handler of the routes of the
 * scope in which it is registered, and of all plugins in that scope, after bodies are parsed and validated. A denial is answered
 * with 403 and the body of `POST /v1/check`, a check without a decision with 503; no handler is called then. The outcome is
 * reported from the response. Errors of the options' functions are answered by Fastify: 500.
 */
export function guardRequests<Request extends object = RequestLike>(
  countersign: Guard,
  options: RequestGuardOptions<Request>,
): (app: FastifyLike<Request>) => Promise<void> {
  const plugin = async (app: FastifyLike<Request>): Promise<void> => {
    app.addHook('preHandler', async (request, reply) => {
      if ((request as { readonly is404?: boolean }).is404 === true) return undefined;
      const judged = await judge(countersign, request, reply.raw, options);
      if (judged === 'go') return undefined;
      if (judged !== 'gone') {
        reply.code(judged.status);
        reply.headers({ ...judged.headers });
        reply.send(judged.body);
      }
      return reply;
    });
  };
  // Otherwise the hook would apply only to routes of the plugin itself, and it has none.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}
