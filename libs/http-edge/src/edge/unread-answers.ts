import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The newest answer of each connection that has asked anything; `null` once it has left. */
export type NewestAnswers = ReadonlyMap<Socket, ServerResponse | null>;

/**
 * Cuts connections whose other side reads nothing of what is written for it: they would hold its answers for ever. Who
 * reads, however slowly, is left alone; an answer that is still being made is no reason either.
 * @param patienceMs so long at least nothing was read
 * @returns ends it
 */
export function cutUnread(answers: NewestAnswers, patienceMs: number): () => void {
  const timed = new WeakSet<Socket>();
  const look = (): void => {
    for (const [socket, response] of answers) {
      const waits = socket.writableLength > 0;
      if (waits === timed.has(socket)) continue;
      if (waits) {
        timed.add(socket);
        // What it goes on to send is no sign that it reads.
        if (socket.writableNeedDrain) {
          socket.pause();
          socket.once('drain', () => socket.resume());
        }
        // Node looks at what the kernel has not taken: while that changes, the time begins anew.
        socket.setTimeout(patienceMs);
      } else {
        timed.delete(socket);
        // A connection between two requests has its own time again.
        if (response !== null) socket.setTimeout(0);
      }
    }
  };
  const timer = setInterval(look, patienceMs / 3).unref();
  return () => clearInterval(timer);
}
