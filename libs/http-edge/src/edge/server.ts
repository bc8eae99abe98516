import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { boundConnections, MOST_CONNECTIONS } from './connections.js';
import { answerConnect } from './connect-method.js';
import { isRefused, refuseHead } from './request-head.js';
import { endSlowBodies } from './slow-bodies.js';
import type { BodyPace } from './slow-bodies.js';
import { cutUnread } from './unread-answers.js';
import type { NewestAnswers } from './unread-answers.js';

interface PortOf {
  readonly host: string;
  readonly port: number;
  /** Names the port to whoever must change it; default `COUNTERSIGN_PORT`. */
  readonly variable?: string;
}

export type ListenOn = PortOf | { readonly path: string };

export interface Listener {
  /** `http://host:port`, or the socket's path. */
  readonly address: string;
  /**
   * Takes no new connection and lets running requests end for at most `graceMs`, then cuts the rest. Every answer from
   * now on says `Connection: close`. A connection that is idle is closed after `lingerMs` (default 0): a pool that gives
   * up idle connections sooner never sends a request on one that is just being closed.
   */
  close(graceMs: number, lingerMs?: number): Promise<void>;
}

const SECOND = 1000;
const KIBIBYTE = 1024;

/** How long a connection may be of no use to anybody, ms. */
export interface Patience {
  /** From a connection, or the first byte of a request, to the end of its head. */
  readonly headMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** Between two requests, whole seconds. Above what pools of clients and balancers have: they must close first. */
  readonly idleSeconds: number;
  /** While the other side reads nothing of its answers. */
  readonly unreadMs: number;
  /** How fast a body must come once it has begun. */
  readonly body: BodyPace;
  /** How often is looked whether time is up. */
  readonly everyMs: number;
}

const PATIENCE: Patience = {
  headMs: 10 * SECOND,
  requestMs: 120 * SECOND,
  idleSeconds: 65,
  unreadMs: 60 * SECOND,
  body: { graceMs: 5 * SECOND, bytesPerSecond: KIBIBYTE },
  everyMs: 2 * SECOND,
};
/** Connections that wait to be accepted; the kernel may allow fewer. A burst of callers is not left to knock again. */
const BACKLOG = 4096;

/** Something else holds the address. The message says what to change. */
export class AddressInUse extends Error {
  override readonly name = 'AddressInUse';
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: string, words: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'send at most 16 KiB of headers'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'send the request faster'],
};

/** Who has said nothing is told nothing: a pool would take it for the answer to what it sends next. */
function closeSilent(socket: Socket, answers: NewestAnswers, headMs: number): void {
  // What it sent while this loop was busy is about to be read. Node looks at its time again once a request begins, which
  // line breaks do not.
  setImmediate(() => {
    if (socket.bytesRead === 0) socket.destroy();
    else setTimeout(() => answers.has(socket) || socket.destroy(), headMs).unref();
  });
}

/** @param newest answer of this connection that has not left */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, newest: ServerResponse | null): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (isRefused(socket)) return;
  if (newest !== null && newest.req.complete && !newest.destroyed) {
    // What came behind a whole request is nobody's answer to it: the right one leaves first, and is the last.
    newest.shouldKeepAlive = false;
    newest.once('finish', () => socket.end());
    return;
  }
  const [status, words] = CLIENT_ERRORS[error.code ?? ''] ?? ['400 Bad Request', 'the request is not valid HTTP'];
  const body = JSON.stringify({ error: words });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** What one address may hold of the connections. */
export interface ConnectionBound {
  readonly ofAddress: number;
  /** Called for each that is refused. */
  readonly refused: () => void;
}

/**
 * An HTTP/1.1 server with bounds on time, headers and connections.
 * @param bound `null`: one address may hold all connections, as an edge proxy must
 */
export async function listen(
  on: ListenOn,
  handler: RequestListener,
  patience: Patience = PATIENCE,
  bound: ConnectionBound | null = null,
): Promise<Listener> {
  let draining = false;
  const answers = new Map<Socket, ServerResponse | null>();
  const left = function (this: ServerResponse): void {
    const { socket } = this.req;
    // With thousands of connections what is kept until their next requests would outlive every collection of garbage.
    if (answers.get(socket) === this) answers.set(socket, null);
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (draining) response.shouldKeepAlive = false;
    answers.set(request.socket, response);
    response.on('finish', left);
    if (!refuseHead(request, response)) handler(request, response);
  };
  const server = createServer(
    {
      maxHeaderSize: 16 * KIBIBYTE,
      headersTimeout: patience.headMs,
      requestTimeout: patience.requestMs,
      // Who is told the whole seconds of it (`Keep-Alive: timeout=65`) has closed almost a second before.
      keepAliveTimeout: patience.idleSeconds * SECOND + 999,
      connectionsCheckingInterval: patience.everyMs,
      requireHostHeader: false,
      noDelay: true,
    },
    answer,
  );
  server.on('connection', (socket: Socket) => socket.once('close', () => answers.delete(socket)));
  server.maxConnections = MOST_CONNECTIONS;
  if (bound !== null) boundConnections(server, bound.ofAddress, bound.refused);
  // Bounded by their size alone: a header that was left out could be neither judged nor handed on.
  server.maxHeadersCount = 0;
  server.on('clientError', (error: Error & { code?: string }, duplex) => {
    const socket = duplex as Socket;
    const silent = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
    if (silent) closeSilent(socket, answers, patience.headMs);
    else answerBrokenRequest(error, socket, answers.get(socket) ?? null);
  });
  // Who has sent all and half-closes still reads: `nc -N`, clients of HTTP/1.0.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('checkExpectation', answer);
  server.on('connect', (request: IncomingMessage, socket) => answerConnect(request, socket as Socket, answer));
  await bind(server, on);
  server.once('close', cutUnread(answers, patience.unreadMs));
  endSlowBodies(server, answers, patience.body, patience.everyMs);
  return {
    address: addressOf(server, on),
    close(graceMs, lingerMs = 0) {
      const drain = (): void => {
        draining = true;
        for (const one of answers.values()) if (one !== null && !one.headersSent) one.shouldKeepAlive = false;
      };
      return closeServer(server, drain, graceMs, lingerMs);
    },
  };
}

function bind(server: Server, on: ListenOn): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject('port' in on ? readable(error, on) : error);
    });
    server.listen({ ...on, backlog: BACKLOG }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function readable(error: NodeJS.ErrnoException, on: PortOf): Error {
  const { variable = 'COUNTERSIGN_PORT' } = on;
  switch (error.code) {
    case 'EADDRINUSE':
      return new AddressInUse(`port ${on.port} on ${on.host} is in use: set ${variable} to a free one, or to 0`);
    case 'EACCES':
      return new AddressInUse(`port ${on.port} may not be opened by this user: set ${variable} to one above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new AddressInUse(`${on.host} is no address of this machine: set COUNTERSIGN_HOST`);
    default:
      return error;
  }
}

function addressOf(server: Server, on: ListenOn): string {
  if ('path' in on) return on.path;
  const { port } = server.address() as AddressInfo;
  return httpAddress(on.host, port);
}

/** An address that a client on this machine can use: a wildcard is reached by loopback. */
export function httpAddress(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function closeServer(server: Server, drain: () => void, graceMs: number, lingerMs: number): Promise<void> {
  return new Promise((resolve) => {
    const lingersUntil = performance.now() + lingerMs;
    // A connection that was busy a moment ago is idle now: look again until none is left.
    const closeIdle = (): void => {
      if (performance.now() >= lingersUntil) server.closeIdleConnections();
    };
    const idle = setInterval(closeIdle, 20);
    const cut = setTimeout(() => server.closeAllConnections(), Math.max(graceMs, lingerMs));
    // Connections that wait to be accepted would be reset: who comes later is refused at once, and may go elsewhere.
    afterQuietTurn(() => {
      drain();
      // The HTTP server's own `close` would end idle connections in the same moment.
      TcpServer.prototype.close.call(server, () => {
        clearInterval(idle);
        clearTimeout(cut);
        resolve();
      });
      closeIdle();
    });
  });
}

const QUIET_TURN_MS = 0.2;
const QUIET_WITHIN_MS = 2000;

/** Calls right after a turn of the event loop that did next to nothing: whatever waited is accepted by then. */
function afterQuietTurn(then: () => void): void {
  const begun = performance.now();
  let turnBegun = Number.NEGATIVE_INFINITY;
  const look = (): void => {
    const now = performance.now();
    if (now - turnBegun < QUIET_TURN_MS || now - begun > QUIET_WITHIN_MS) {
      then();
      return;
    }
    turnBegun = now;
    setImmediate(look);
  };
  setImmediate(look);
}
