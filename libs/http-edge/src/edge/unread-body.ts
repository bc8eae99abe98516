import type { IncomingMessage, ServerResponse } from 'node:http';

const LINGER_MS = 1000;
/** What is read and dropped to keep a connection; beyond it the connection is closed. */
const DROPPED_BYTES = 1024 * 1024;

/** Whether the rest of the body is too much to read for nothing. */
export function leavesTooMuch(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const length = request.headers['content-length'];
  return length === undefined ? request.headers['transfer-encoding'] !== undefined : Number(length) > DROPPED_BYTES;
}

/**
 * Ends an answer whose bytes have all been written, on a connection that closes: the caller may still be sending, and a
 * reset would take the answer from under it. So what comes is dropped for a moment first.
 */
export function endLingering(request: IncomingMessage, response: ServerResponse): void {
  const end = (): void => {
    clearTimeout(timer);
    request.off('end', end).off('close', end);
    if (!response.writableEnded) response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.on('end', end).on('close', end);
  request.resume();
}
