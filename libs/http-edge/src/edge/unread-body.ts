import type { IncomingMessage, ServerResponse } from 'node:http';

const LINGER_MS = 1000;
/** Bytes that are read and dropped to keep a connection; with more, it is closed. */
const DROPPED_BYTES = 1024 * 1024;

/** Returns true if the rest of the body is too long to be read and dropped. */
export function leavesTooMuch(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const length = request.headers['content-length'];
  return length === undefined ? request.headers['transfer-encoding'] !== undefined : Number(length) > DROPPED_BYTES;
}

/**
 * Ends a response whose bytes have all been written, on a connection that closes. The client may still be sending, and a
 * reset would discard the response, so received bytes are dropped for a moment first.
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
