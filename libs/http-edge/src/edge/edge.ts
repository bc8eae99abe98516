import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { fillTemplate, NOT_FOR_AGENT, notDecided } from '@countersign/contracts';
import type { Role, Route } from '@countersign/contracts';
import type { Authenticator } from '../credentials/authenticator.js';
import { readApiKeyHeaders } from '../credentials/credential-headers.js';
import { sendsApiKey } from '../credentials/credential-problem.js';
import type { RequestObserver } from '@countersign/process';
import { StoreUnreachable } from '@countersign/document-store';
import { placeOf } from './address-allowance.js';
import type { AddressAllowance } from './address-allowance.js';
import { HttpAnswer, writeAnswer } from './answer.js';
import { HttpRefusal } from './http-contract.js';
import type { ApiKeyCaller, SessionCaller, RawHandler } from './http-contract.js';
import { RawBody } from './raw-body.js';
import { announcedBytes, readBody, RequestCut } from './read-body.js';
import { RefusalLog } from './refusal-log.js';
import { attachInput } from './route-input.js';
import { allowedMethods, RouteTable, splitTarget } from './route-table.js';
import type { Method } from './route-table.js';
import { endLingering, leavesTooMuch } from './unread-body.js';
import { compileRoute } from './validation.js';
import type { RouteChecks } from './validation.js';

const STORE_GONE = 'this cannot be read or made durable at the moment: try again';

/** Answers a checked request; rejects with an error that the edge turns into a refusal. */
export type RouteHandler = (route: Route, request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface EdgeRoute {
  readonly route: Route;
  readonly handle: RouteHandler;
}

export interface EdgeOptions {
  readonly routes: readonly EdgeRoute[];
  readonly authenticator: Authenticator;
  readonly log: Logger;
  readonly observe: RequestObserver;
  /** Called first, in order. */
  readonly rawHandlers?: readonly RawHandler[];
  /** Handles paths that no route here has; absent: 404. */
  readonly elsewhere?: RequestListener;
  /** Reads the client's address from `CLIENT_ADDRESS_HEADER`. Only for a socket that no other client can reach. */
  readonly behindEdge?: boolean;
  /** The rate limit of routes with `perAddress`; absent: none. */
  readonly allowance?: AddressAllowance;
  /** True for an error of a handler by which a backend other than the store cannot be used now: 503, to be retried. */
  readonly isUnavailable?: (error: unknown) => boolean;
}

/** Carries the client's address to a process behind the edge; removed from requests of clients. */
export const CLIENT_ADDRESS_HEADER = 'x-countersign-client-address';

const NO_ROUTE = 'there is no such route';
const WITH_SLASH = `${NO_ROUTE}: leave out the slash at its end`;
const MEBIBYTE = 1024 * 1024;
const REQUEST_ID = /^[\x21-\x7e]{1,255}$/;

const RANK: Readonly<Record<Role, number>> = { auditor: 0, member: 1, admin: 2 };

interface Target {
  readonly handle: RouteHandler;
  checks(): RouteChecks;
}

/**
 * Checks every request, in this order: route (404), method (405), the address's allowance (429), credentials (401), body
 * (415, 413, 400), parameters and schema (400), role (403), agent of the key (404); then calls the handler. Every refusal
 * is `{error}`, unless the route has another form for it.
 */
export function createEdge(options: EdgeOptions): RequestListener {
  const table = new RouteTable<Target>(
    options.routes.map(({ route, handle }) => ({ route, target: { handle, checks: checksOf(route) } })),
  );
  const rawHandlers = options.rawHandlers ?? [];
  const refusals = new RefusalLog(options.log, 'request', () => performance.now());
  return (request, response) => {
    for (const handler of rawHandlers) if (handler(request, response)) return;
    const target = splitTarget(request.url ?? '');
    const match = target === null ? null : table.match(target.path);
    // No service handles `CONNECT`.
    const withSlash = match === null && target !== null && isRouteWithSlash(table, target.path);
    if (match === null && !withSlash && options.elsewhere !== undefined && request.method !== 'CONNECT') {
      options.elsewhere(request, response);
      return;
    }
    const entry = match?.every ?? match?.methods.get((request.method === 'HEAD' ? 'GET' : request.method) as Method);
    response.setHeader('x-request-id', sentRequestId(entry?.route, request) ?? randomUUID());
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('cache-control', 'no-store');
    watch(options.observe, entry?.route, request, response);
    const serve = async (): Promise<void> => {
      if (target === null || match === null) throw new HttpRefusal(404, withSlash ? WITH_SLASH : NO_ROUTE);
      if (entry === undefined) {
        const allow = allowedMethods(match.methods.keys());
        throw new HttpRefusal(405, `use ${allow}`, { allow });
      }
      takeFrom(options, entry.route, request);
      await admit(options, entry.route, entry.target.checks(), { request, response }, match.params, target.query);
      await entry.target.handle(entry.route, request, response);
    };
    serve().catch((error: unknown) => {
      noteRefusal(options, refusals, { request, response }, entry?.route, error);
      refuse(options, entry?.route, request, response, error);
    });
  };
}

/** Paths are compared exactly. */
function isRouteWithSlash(table: RouteTable<unknown>, path: string): boolean {
  return path.endsWith('/') && table.match(path.slice(0, -1)) !== null;
}

/** Returns the client's request id, if the route echoes it and it is fit for a header. */
function sentRequestId(route: Route | undefined, request: IncomingMessage): string | null {
  const sent = route?.echoesRequestId === true ? request.headers['x-request-id'] : undefined;
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : null;
}

/** @throws HttpRefusal 429 */
function takeFrom({ allowance, behindEdge }: EdgeOptions, route: Route, request: IncomingMessage): void {
  const { perAddress, perAddressMiB = 0 } = route;
  if (allowance === undefined || perAddress === undefined) return;
  const ofBody = (perAddressMiB * announcedBytes(request, route)) / MEBIBYTE;
  const waitMs = allowance.take(addressOf(request, behindEdge === true), perAddress + ofBody);
  if (waitMs === 0) return;
  throw new HttpRefusal(429, 'too many requests from this address: wait as long as Retry-After says', {
    'Retry-After': String(Math.ceil(waitMs / 1000)),
  });
}

/** Compiles the schemas of a route at its first request: compiling all of them would slow down the start. */
function checksOf(route: Route): () => RouteChecks {
  let checks: RouteChecks | null = null;
  return () => (checks ??= compileRoute(route));
}

function watch(
  observe: RequestObserver,
  route: Route | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const begun = process.hrtime.bigint();
  const method = route?.method ?? 'other';
  response.once('close', () => {
    const status = response.writableFinished ? response.statusCode : 499;
    observe(method, route?.path ?? 'none', status, Number(process.hrtime.bigint() - begun) / 1e9);
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function admit(
  options: EdgeOptions,
  route: Route,
  checks: RouteChecks,
  { request, response }: Exchange,
  rawParams: Readonly<Record<string, string>>,
  rawQuery: string,
): Promise<void> {
  const caller = await identify(options.authenticator, route, request);
  const remoteAddress = addressOf(request, options.behindEdge === true);
  const body = await readBody(request, route, caller?.accountId ?? placeOf(remoteAddress));
  if (body instanceof RawBody) releaseWhenOver(body, response);
  const params = checks.params(rawParams);
  const query = checks.query(rawQuery);
  checks.headers(request.headers);
  if (route.body !== undefined && !(body instanceof RawBody)) checks.body(body);
  requireRole(route, caller);
  requireAgent(caller, body, params);
  const sent = { method: request.method ?? '', target: request.url ?? '', rawHeaders: request.rawHeaders };
  const identifyAgain = (): Promise<unknown> => identify(options.authenticator, route, request);
  attachInput(request, { params, query, body, caller, identifyAgain, headers: request.headers, remoteAddress, sent });
}

function releaseWhenOver(body: RawBody, response: ServerResponse): void {
  if (response.closed) body.release();
  else response.once('close', () => body.release());
}

async function identify(
  authenticator: Authenticator,
  route: Route,
  request: IncomingMessage,
): Promise<SessionCaller | ApiKeyCaller | null> {
  switch (route.auth) {
    case 'none':
      return null;
    case 'session':
      return authenticator.session(request);
    case 'api-key':
      return authenticator.apiKey(request.rawHeaders, route.rights);
    case 'api-key-or-session':
      return sendsApiKey(request.rawHeaders)
        ? authenticator.apiKey(request.rawHeaders, route.rights)
        : authenticator.session(request);
  }
}

function requireRole(route: Route, caller: SessionCaller | ApiKeyCaller | null): void {
  const role = route.role ?? 'auditor';
  if (caller !== null && 'role' in caller && RANK[caller.role] < RANK[role]) {
    throw new HttpRefusal(403, `the role ${caller.role} may not do this: it needs ${role}`);
  }
}

/** Refuses agents that the key is not bound to, whether the body or the path names them. */
function requireAgent(
  caller: SessionCaller | ApiKeyCaller | null,
  body: unknown,
  params: Readonly<Record<string, string>>,
): void {
  if (caller === null || !('powers' in caller) || caller.powers.agents === null) return;
  const ofBody = typeof body === 'object' && body !== null && 'agentId' in body ? body.agentId : undefined;
  for (const id of [ofBody, params['id']]) {
    if (typeof id === 'string' && !caller.powers.agents.has(id.toLowerCase())) {
      throw new HttpRefusal(404, NOT_FOR_AGENT);
    }
  }
}

/** Returns the client's address; an IPv4-mapped one as IPv4. */
export function addressOf(request: IncomingMessage, behindEdge: boolean): string {
  const forwarded = behindEdge ? request.headers[CLIENT_ADDRESS_HEADER] : undefined;
  const address = typeof forwarded === 'string' ? forwarded : (request.socket.remoteAddress ?? '');
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

/** Logs from where a request of an agent was refused. Refused people stand in the trail of the account. */
function noteRefusal(
  { behindEdge }: EdgeOptions,
  refusals: RefusalLog,
  { request, response }: Exchange,
  route: Route | undefined,
  error: unknown,
): void {
  if (!(error instanceof HttpRefusal) || error.status !== 401) return;
  if (route?.auth !== 'api-key' && !sendsApiKey(request.rawHeaders)) return;
  refusals.refused(401, error.message, () => ({
    requestId: String(response.getHeader('x-request-id')),
    address: addressOf(request, behindEdge === true),
    apiKey: readApiKeyHeaders(request.rawHeaders),
  }));
}

/** A store, or another backend, that cannot be reached is 503, to be retried. */
function refusalOf({ isUnavailable }: EdgeOptions, error: unknown): HttpRefusal {
  if (error instanceof HttpRefusal) return error;
  const unavailable = error instanceof StoreUnreachable || isUnavailable?.(error) === true;
  if (unavailable) return new HttpRefusal(503, STORE_GONE, { 'Retry-After': '1' });
  return new HttpRefusal(500, 'internal error');
}

/** The answer of a refusal in the form that the callers of the route understand. */
function answerOf({ refusedAs }: Partial<Route>, refusal: HttpRefusal): HttpAnswer {
  if (refusedAs === undefined) {
    return new HttpAnswer(refusal.status, refusal.body ?? { error: refusal.message }, refusal.headers);
  }
  return new HttpAnswer(refusedAs.status, fillTemplate(refusedAs.body, notDecided(refusal.message)));
}

function refuse(
  options: EdgeOptions,
  route: Route | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  if (error instanceof RequestCut || response.destroyed) return;
  if (!(error instanceof HttpRefusal)) {
    options.log.error({ err: error, requestId: response.getHeader('x-request-id') }, 'a request failed');
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const refusal = answerOf(route ?? {}, refusalOf(options, error));
  if (leavesTooMuch(request) && refusal.content.kind === 'json') {
    const bytes = Buffer.from(JSON.stringify(refusal.content.value));
    response.writeHead(refusal.status, {
      'content-type': 'application/json; charset=utf-8',
      ...refusal.headers,
      'content-length': bytes.length,
      connection: 'close',
    });
    response.write(bytes);
    endLingering(request, response);
    return;
  }
  void writeAnswer(response, refusal);
}
