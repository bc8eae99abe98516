import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server as TlsServer } from 'node:https';
import { Server as TcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { isEndless } from './answer.js';
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
  /** The variable that sets the port, for error messages; default `COUNTERSIGN_PORT`. */
  readonly variable?: string;
}

export type ListenOn = PortOf | { readonly path: string };

/** A certificate with its private key, PEM. The certificate may be followed by the chain to its authority. */
export interface ServerCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface Listener {
  /** `http://host:port`, `https://host:port` with a certificate, or the socket's path. */
  readonly address: string;
  /**
   * Uses this certificate for connections that begin from now on.
   * @throws Error if the server has none, or this one cannot be used
   */
  useCertificate(certificate: ServerCertificate): void;
  /**
   * Accepts no new connection, waits at most `graceMs` for running requests, then ends the rest. Every response from now on
   * has `Connection: close`. An idle connection is closed after `lingerMs` (default 0): a pool that drops idle connections
   * sooner never sends a request on one that is being closed.
   */
  close(graceMs: number, lingerMs?: number): Promise<void>;
}

const SECOND = 1000;
const KIBIBYTE = 1024;

/** Timeouts of a connection, ms. */
export interface Patience {
  /** From the connection, or the first byte of a request, to the end of its head. */
  readonly headMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** Between two requests, whole seconds. Longer than pools of clients and balancers use, so that they close first. */
  readonly idleSeconds: number;
  /** While the client reads nothing of its responses. */
  readonly unreadMs: number;
  /** Minimum speed of a body. */
  readonly body: BodyPace;
  /** Interval of the checks. */
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
/** Connections that may wait to be accepted, so that a burst is not refused; the kernel may allow fewer. */
const BACKLOG = 4096;

/** The address is in use. The message says what to change. */
export class AddressInUse extends Error {
  override readonly name = 'AddressInUse';
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: string, words: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'send at most 16 KiB of headers'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'send the request faster'],
};

/** Closes a silent connection without a response: a pool would take one for the response to its next request. */
function closeSilent(socket: Socket, answers: NewestAnswers, headMs: number): void {
  // What the client sent while this loop was busy is about to be read. Node checks the time again once a request begins,
  // which line breaks do not.
  setImmediate(() => {
    if (socket.bytesRead === 0) socket.destroy();
    else setTimeout(() => answers.has(socket) || socket.destroy(), headMs).unref();
  });
}

/** @param newest response of this connection that has not been sent */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, newest: ServerResponse | null): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (isRefused(socket)) return;
  if (newest !== null && newest.req.complete && !newest.destroyed) {
    // The bad bytes follow a complete request: its response is sent first, and is the last one.
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

/** Limit of connections for each address. */
export interface ConnectionBound {
  readonly ofAddress: number;
  /** Called for each refused connection. */
  readonly refused: () => void;
}

/**
 * Opens an HTTP/1.1 server with limits on time, headers and connections.
 * @param bound `null`: one address may hold all connections, as an edge proxy must
 * @param certificate if given, the server speaks TLS 1.2 or newer and nothing else
 */
export async function listen(
  on: ListenOn,
  handler: RequestListener,
  patience: Patience = PATIENCE,
  bound: ConnectionBound | null = null,
  certificate: ServerCertificate | null = null,
): Promise<Listener> {
  let draining = false;
  const answers = new Map<Socket, ServerResponse | null>();
  const left = function (this: ServerResponse): void {
    const { socket } = this.req;
    // With thousands of connections, objects kept until their next requests would become long-lived garbage.
    if (answers.get(socket) === this) answers.set(socket, null);
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (draining) response.shouldKeepAlive = false;
    answers.set(request.socket, response);
    response.on('finish', left);
    if (!refuseHead(request, response)) handler(request, response);
  };
  const options = {
    maxHeaderSize: 16 * KIBIBYTE,
    headersTimeout: patience.headMs,
    requestTimeout: patience.requestMs,
    // A client that reads `Keep-Alive: timeout=65` has closed almost a second before.
    keepAliveTimeout: patience.idleSeconds * SECOND + 999,
    connectionsCheckingInterval: patience.everyMs,
    requireHostHeader: false,
    noDelay: true,
  };
  const tls = certificate === null ? null : secure(certificate, options, patience.headMs, answer);
  const server: Server = tls ?? createServer(options, answer);
  const opened = tls === null ? 'connection' : 'secureConnection';
  server.on(opened, (socket: Socket) => socket.once('close', () => answers.delete(socket)));
  server.maxConnections = MOST_CONNECTIONS;
  if (bound !== null) boundConnections(server, bound.ofAddress, bound.refused, tls !== null);
  // Limited by size alone: a header that Node leaves out could be neither checked nor passed on.
  server.maxHeadersCount = 0;
  server.on('clientError', (error: Error & { code?: string }, duplex) => {
    const socket = duplex as Socket;
    const silent = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
    if (silent) closeSilent(socket, answers, patience.headMs);
    else answerBrokenRequest(error, socket, answers.get(socket) ?? null);
  });
  // A client that half-closes after its request still reads: `nc -N`, clients of HTTP/1.0.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('checkExpectation', answer);
  server.on('connect', (request: IncomingMessage, socket) => answerConnect(request, socket as Socket, answer));
  await bind(server, on);
  server.once('close', cutUnread(answers, patience.unreadMs));
  endSlowBodies(server, answers, patience.body, patience.everyMs);
  return {
    address: addressOf(server, on, tls !== null),
    useCertificate(renewed) {
      if (tls === null) throw new Error('this server has no certificate');
      tls.setSecureContext(renewed);
    },
    close(graceMs, lingerMs = 0) {
      const drain = (): void => {
        draining = true;
        for (const one of answers.values()) {
          if (one === null) continue;
          if (!one.headersSent) one.shouldKeepAlive = false;
          // Such an answer has no end, and its client continues it elsewhere.
          else if (isEndless(one)) one.destroy();
        }
      };
      return closeServer(server, drain, graceMs, lingerMs);
    },
  };
}

/** Connections whose handshake is not complete after `handshakeTimeout` ms are ended. */
function secure(
  certificate: ServerCertificate,
  options: Parameters<typeof createServer>[0] & object,
  handshakeTimeout: number,
  answer: RequestListener,
): TlsServer {
  const server = createTlsServer({ ...options, ...certificate, minVersion: 'TLSv1.2', handshakeTimeout }, answer);
  // The default is an answer in clear text, which no client of TLS can read.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
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

function addressOf(server: Server, on: ListenOn, withTls: boolean): string {
  if ('path' in on) return on.path;
  const { port } = server.address() as AddressInfo;
  return httpAddress(on.host, port, withTls);
}

/** Returns an address that a client on this machine can use: loopback for a wildcard. */
export function httpAddress(host: string, port: number, withTls = false): string {
  const scheme = withTls ? 'https' : 'http';
  if (host === '0.0.0.0') return `${scheme}://127.0.0.1:${port}`;
  if (host === '::') return `${scheme}://[::1]:${port}`;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function closeServer(server: Server, drain: () => void, graceMs: number, lingerMs: number): Promise<void> {
  return new Promise((resolve) => {
    const lingersUntil = performance.now() + lingerMs;
    // A connection that was just busy may be idle now: look again until none is left.
    const closeIdle = (): void => {
      if (performance.now() >= lingersUntil) server.closeIdleConnections();
    };
    const idle = setInterval(closeIdle, 20);
    const cut = setTimeout(() => server.closeAllConnections(), Math.max(graceMs, lingerMs));
    // Connections that wait to be accepted are accepted first, else they would be reset. Later ones are refused.
    afterQuietTurn(() => {
      drain();
      // The HTTP server's own `close` would end idle connections at once.
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

/** Calls back after a tick of the event loop that did almost nothing: all waiting connections are accepted by then. */
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
