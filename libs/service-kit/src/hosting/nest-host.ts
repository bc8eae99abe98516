import 'reflect-metadata';
import type { ServerResponse } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import type { Route } from '@countersign/contracts';
import { HttpAnswer, writeAnswer } from '@countersign/http-edge';
import type { RouteHandler } from '@countersign/http-edge';
import type { RunningService, ServiceContext } from '../service/definition.js';
import { internalPath } from './decorators.js';
import { EventLogTransport } from './event-log-transport.js';
import { nestLogger } from './nest-logger.js';
import { PassOnFilter } from './pass-on-filter.js';

export interface HostedService {
  /** Resolves when the request is answered, rejects with the error of the handler. */
  readonly handle: RouteHandler;
  notReady(): readonly string[];
  /** Messages of each followed partition that are not handled yet. */
  lag(): Readonly<Record<string, number>>;
  /** Stops the consumers; requests are still answered. */
  stopConsuming(): Promise<void>;
  close(): Promise<void>;
}

interface Settle {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const pending = new WeakMap<ServerResponse, Settle>();

function settle(response: ServerResponse): Settle {
  const settled = pending.get(response);
  if (settled === undefined) throw new Error('a response without a request');
  return settled;
}

/** Express behind the edge: turns what handlers return into answers. */
class EdgeAdapter extends ExpressAdapter {
  override reply(response: ServerResponse, body: unknown, status?: number): void {
    const answer = body instanceof HttpAnswer ? body : plain(status ?? response.statusCode, body);
    writeAnswer(response, answer).then(settle(response).resolve, settle(response).reject);
  }
}

function plain(status: number, body: unknown): HttpAnswer {
  return body === undefined ? HttpAnswer.empty(status) : new HttpAnswer(status, body);
}

/**
 * Hosts a service as a Nest application of its own on an Express application of its own.
 * @throws if a route has no handler
 */
export async function hostService(
  routes: readonly Route[],
  running: RunningService,
  context: Pick<ServiceContext, 'name' | 'log' | 'eventLog'>,
): Promise<HostedService | null> {
  if (running.module === undefined) {
    requireHandlers(context.name, routes, () => (running.rawHandler ?? running.handle) !== undefined);
    return null;
  }
  const web = express();
  web.disable('x-powered-by').disable('etag').set('query parser', false);
  const application = await NestFactory.create(running.module, new EdgeAdapter(web), {
    logger: nestLogger(context.log),
    bodyParser: false,
    abortOnError: false,
  });
  application.useGlobalFilters(new PassOnFilter((response, error) => settle(response).reject(error)));
  const transport = running.consumer === undefined ? null : new EventLogTransport(context.eventLog, running.consumer);
  if (transport !== null) application.connectMicroservice({ strategy: transport }, { inheritAppConfig: true });
  await application.init();
  const served = registeredPaths(web);
  requireHandlers(context.name, routes, (route) => running.rawHandler !== undefined || served.has(operation(route)));
  if (transport !== null) await application.startAllMicroservices();
  return {
    handle: (route, request, response) =>
      new Promise((resolve, reject) => {
        pending.set(response, { resolve, reject });
        request.url = internalPath(route);
        if (route.withPathsBelow === true) request.method = route.method;
        web(request, response);
      }),
    notReady: () => {
      const stalled = transport?.stalled() ?? null;
      return stalled === null ? [] : [`a consumer is blocked: ${stalled}`];
    },
    lag: () => transport?.lag() ?? {},
    stopConsuming: async () => transport?.close(),
    close: () => application.close(),
  };
}

function operation(route: Route): string {
  return `${route.method.toLowerCase()} ${internalPath(route)}`;
}

/** `get /operationId` for every handler that Nest registered. */
function registeredPaths(web: express.Express): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const { route } of web.router.stack) {
    for (const layer of route?.stack ?? []) if (route !== undefined) paths.add(`${layer.method} ${route.path}`);
  }
  return paths;
}

function requireHandlers(name: string, routes: readonly Route[], served: (route: Route) => boolean): void {
  const missing = routes.filter((route) => !served(route)).map((route) => `${route.method} ${route.path}`);
  if (missing.length > 0) throw new Error(`${name} declares routes that nothing handles: ${missing.join(', ')}`);
}
