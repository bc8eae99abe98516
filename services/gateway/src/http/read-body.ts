import type { IncomingMessage } from 'node:http';

export const MAX_BODY_BYTES = 1024 * 1024;

/** The body whole, or why it is not there: longer than allowed, or the caller has gone. */
export type BodyRead = Buffer | 'too large' | 'cut';

/** Collects a body of at most {@link MAX_BODY_BYTES}; more is never held. Never rejects. */
export function readBody(request: IncomingMessage, contentLength: number): Promise<BodyRead> {
  if (contentLength > MAX_BODY_BYTES) return Promise.resolve('too large');
  return new Promise((resolve) => {
    let first: Buffer | null = null;
    let rest: Buffer[] | null = null;
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) {
        first = rest = null;
        request.pause();
        resolve('too large');
      } else if (first === null) first = chunk;
      else (rest ??= []).push(chunk);
    });
    request.on('end', () =>
      resolve(first === null ? EMPTY : rest === null ? first : Buffer.concat([first, ...rest], size)),
    );
    request.on('error', () => resolve('cut'));
    request.on('close', () => resolve('cut'));
  });
}

const EMPTY = Buffer.alloc(0);
