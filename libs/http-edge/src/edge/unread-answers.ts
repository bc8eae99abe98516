import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The newest response of each connection that has sent a request; `null` once it has been sent. */
export type NewestAnswers = ReadonlyMap<Socket, ServerResponse | null>;

/**
 * Ends connections whose client reads nothing of its responses, which would be held in memory for ever. Clients that read
 * slowly, and responses that are still being computed, are not affected.
 * @param patienceMs timeout without any read
 * @returns a function that stops the check
 */
export function cutUnread(answers: NewestAnswers, patienceMs: number): () => void {
  const timed = new WeakSet<Socket>();
  const look = (): void => {
    for (const [socket, response] of answers) {
      const waits = socket.writableLength > 0;
      if (waits === timed.has(socket)) continue;
      if (waits) {
        timed.add(socket);
        // Further requests are no sign that the client reads.
        if (socket.writableNeedDrain) {
          socket.pause();
          socket.once('drain', () => socket.resume());
        }
        // Node looks at the bytes that the kernel has not taken: while their number changes, the timeout starts again.
        socket.setTimeout(patienceMs);
      } else {
        timed.delete(socket);
        // Between two requests the keep-alive timeout applies again.
        if (response !== null) socket.setTimeout(0);
      }
    }
  };
  const timer = setInterval(look, patienceMs / 3).unref();
  return () => clearInterval(timer);
}
