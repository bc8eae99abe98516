import type { Guard } from './begun-action.js';
import { judge, type RequestGuardOptions, type RequestLike, type ResponseLike } from './http-request.js';

export type { RequestGuardOptions, RequestLike, ResponseLike } from './http-request.js';

/** What is used of Fastify's reply. */
export interface FastifyReplyLike {
  readonly raw: ResponseLike;
  code(statusCode: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(payload: unknown): unknown;
}

/** What is used of a Fastify instance. */
export interface FastifyLike<Request> {
  addHook(name: 'preHandler', hook: (request: Request, reply: FastifyReplyLike) => Promise<unknown>): unknown;
}

/**
 * A plugin for Fastify: `app.register(guardRequests(countersign, { action }))` asks before each handler of the routes of the
 * scope in which it is registered and of the plugins in that scope, those that were registered first among them, after their
 * bodies are parsed and validated. A denial is 403 with the denial as
 * `POST /v1/check` words it; without a decision it is 503; then no handler is called. What the handler answers is reported
 * as the outcome. What the options' functions throw is Fastify's to answer: 500.
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
  // Without this the hook would hold for routes that the plugin itself makes, and it makes none.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}
