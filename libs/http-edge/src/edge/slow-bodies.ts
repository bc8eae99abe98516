import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NewestAnswers } from './unread-answers.js';

/** Minimum speed of a body. */
export interface BodyPace {
  /** Time without a minimum speed, ms. */
  readonly graceMs: number;
  /** Minimum average speed since the beginning, after the grace time; bytes a second. */
  readonly bytesPerSecond: number;
}

interface Watched {
  readonly request: IncomingMessage;
  readonly sinceMs: number;
  readonly bytesRead: number;
}

/**
 * Answers 408 to requests whose bodies arrive slower than `pace`, and ends their connections: single bytes would otherwise
 * hold a connection for the whole time that a request may take. The time while the server does not read does not count. It
 * checks every `everyMs`, so that a body that arrives at once costs nothing.
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

/** Returns true while its body is being read and is incomplete. */
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
