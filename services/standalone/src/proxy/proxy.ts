import { Agent, request as httpRequest } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { addressOf, CLIENT_ADDRESS_HEADER, endLingering, EVENT_STREAM, markEndless } from '@countersign/http-edge';
import { forwardedHeaders, announcesBody } from './headers.js';

export interface Proxy {
  readonly handle: RequestListener;
  close(): void;
}

/** Below the keep-alive of the other side, so that it never closes a connection that is about to be used. */
const IDLE_MS = 30_000;
const UNAVAILABLE = '{"error":"the service is starting or stopping: try again in a moment"}';

/**
 * Proxies requests to the server on a unix socket, streaming both ways, and adds the caller's address.
 * @param socketPath `null` while that server does not listen yet
 */
export function createProxy(socketPath: () => string | null): Proxy {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: IDLE_MS });
  return {
    handle(request, response) {
      const path = socketPath();
      if (path === null) refuse(request, response);
      else forward(agent, path, request, response);
    },
    close: () => agent.destroy(),
  };
}

function forward(agent: Agent, socketPath: string, request: IncomingMessage, response: ServerResponse): void {
  const headers = [CLIENT_ADDRESS_HEADER, addressOf(request, false), ...forwardedHeaders(request.rawHeaders)];
  // HTTP/1.0 may omit it; the forwarded request is HTTP/1.1.
  if (request.httpVersionMinor === 0 && request.headers.host === undefined) headers.push('host', 'localhost');
  const upstream = httpRequest({
    agent,
    socketPath,
    method: request.method,
    path: request.url,
    headers,
  });
  upstream.on('response', (answer) => relay(request, answer, response));
  upstream.on('error', () => {
    // After the head of an answer, its own stream reports the end.
    if (!response.headersSent) refuse(request, response);
  });
  response.on('close', () => {
    // A request that was answered before its end would never end on the other side: its connection is closed.
    if (!response.writableFinished || !upstream.writableFinished) upstream.destroy();
  });
  if (announcesBody(headers)) request.pipe(upstream);
  else {
    // Bytes that no header frames would be parsed as the next request on a shared connection.
    request.resume();
    upstream.end();
  }
}

function relay(request: IncomingMessage, answer: IncomingMessage, response: ServerResponse): void {
  // An answer before the end of the request: the rest is discarded, and the connection cannot be reused.
  const early = !request.complete;
  if (early) {
    request.unpipe();
    response.shouldKeepAlive = false;
  }
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, forwardedHeaders(answer.rawHeaders));
  response.flushHeaders();
  if (answer.headers['content-type'] === EVENT_STREAM) markEndless(response);
  answer.on('error', () => response.destroy());
  answer.on('aborted', () => response.destroy());
  answer.pipe(response, { end: !early });
  if (early) answer.on('end', () => endLingering(request, response));
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  if (response.destroyed) return;
  response.shouldKeepAlive = false;
  response.writeHead(503, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(UNAVAILABLE),
    'retry-after': '1',
  });
  response.write(UNAVAILABLE);
  endLingering(request, response);
}
