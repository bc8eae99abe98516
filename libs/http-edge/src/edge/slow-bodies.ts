import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NewestAnswers } from './unread-answers.js';

/** How fast a body must come. */
export interface BodyPace {
  /** For so long it may come as it likes, ms. */
  readonly graceMs: number;
  /** From then on, on average since it began, bytes a second. */
  readonly bytesPerSecond: number;
}

interface Watched {
  readonly request: IncomingMessage;
  readonly sinceMs: number;
  readonly bytesRead: number;
}

/**
 * Answers 408 to requests whose bodies come slower than `pace`, and ends their connections: a few bytes now and then
 * would hold a connection for as long as a request may take. A body that is not read yet is not held against its
 * sender. It looks every `everyMs`, so that a body that comes at once costs nothing.
 */
export function endSlowBodies(server: Server, answers: NewestAnswers, pace: BodyPace, everyMs: number): void {
  const watched = new Map<Socket, Watched>();
  const look = (): void => {
    const now = performance.now();
    for (const [socket, answer] of answers) {
      if (answer === null || !comes(answer)) {
        watched.delete(socket);
        continue;
      }
      const known = watched.get(socket);
      if (known?.request !== answer.req) {
        watched.set(socket, { request: answer.req, sinceMs: now, bytesRead: socket.bytesRead });
        continue;
      }
      const ms = now - known.sinceMs;
      const wanted = (ms * pace.bytesPerSecond) / 1000;
      if (ms >= pace.graceMs && socket.bytesRead - known.bytesRead < wanted) tooSlow(answer, pace);
    }
    for (const socket of watched.keys()) if (!answers.has(socket)) watched.delete(socket);
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

/** Its body is being read, and not all of it is here. */
function comes({ req, headersSent, destroyed }: ServerResponse): boolean {
  return !req.complete && req.readableFlowing === true && !headersSent && !destroyed;
}

function tooSlow(response: ServerResponse, { bytesPerSecond }: BodyPace): void {
  const body = JSON.stringify({ error: `send the body faster: ${bytesPerSecond} bytes a second are the least` });
  response.writeHead(408, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body, () => response.req.socket.destroySoon());
}
