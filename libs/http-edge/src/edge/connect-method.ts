import { ServerResponse } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

const LINGER_MS = 1000;

/**
 * Answers `CONNECT`, which Node delivers as a raw connection, like any other method that a target does not have, and closes
 * the connection: what follows is not HTTP (RFC 9110 section 9.3.6).
 */
export function answerConnect(request: IncomingMessage, socket: Socket, answer: RequestListener): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
  // The client may reset the connection at any time.
  socket.on('error', () => socket.destroy());
  socket.resume();
  response.once('finish', () => socket.end());
  answer(request, response);
}
