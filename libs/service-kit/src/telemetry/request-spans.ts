import type { IncomingMessage, RequestListener } from 'node:http';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, Tracer } from '@opentelemetry/api';
import { readTraceparent, type Route } from '@countersign/contracts';
import { RouteTable, splitTarget } from '@countersign/http-edge';

/** Of a caller that ended the connection before the answer, as in the metric of requests. */
const CUT = 499;
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * The listener, with a server span for each request (OpenTelemetry semantic conventions for HTTP spans). Its parent is that of
 * a valid `traceparent`. The span names the route, never what a path, a query or a body holds.
 */
export function withSpans(
  handle: RequestListener,
  tracer: Tracer,
  routes: () => Promise<readonly Route[]>,
): RequestListener {
  let table: RouteTable<null> | null = null;
  const readRoutes = async (): Promise<void> => {
    table = new RouteTable((await routes()).map((route) => ({ route, target: null })));
  };
  // Until then, and where they cannot be read, spans name the method alone.
  readRoutes().catch(() => undefined);
  return (request, response) => {
    const startTime = Date.now();
    response.once('close', () => {
      const route = routeOf(table, request);
      const method = METHODS.has(request.method ?? '') ? request.method! : '_OTHER';
      const status = response.writableFinished ? response.statusCode : CUT;
      const span = tracer.startSpan(
        route === null ? method : `${method} ${route}`,
        {
          kind: SpanKind.SERVER,
          startTime,
          attributes: {
            'http.request.method': method,
            'http.response.status_code': status,
            ...(route === null ? {} : { 'http.route': route }),
            ...(status >= 500 ? { 'error.type': `${status}` } : {}),
          },
        },
        parentOf(request),
      );
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    handle(request, response);
  };
}

function routeOf(table: RouteTable<null> | null, request: IncomingMessage): string | null {
  const target = splitTarget(request.url ?? '');
  const match = target === null ? null : (table?.match(target.path) ?? null);
  if (match === null) return null;
  return match.every?.route.path ?? [...match.methods.values()][0]!.route.path;
}

function parentOf({ headers }: IncomingMessage): Context {
  const sent = headers.traceparent;
  const read = typeof sent === 'string' ? readTraceparent(sent) : null;
  if (read === null) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '00'] = read.split('-');
  const traceFlags = (Number.parseInt(flags, 16) & 1) === 1 ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
