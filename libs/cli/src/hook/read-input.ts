import type { Readable } from 'node:stream';
import { HookInputError } from './tool-event.js';

/** Larger than any check. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Reads a whole stream as text. @throws HookInputError if it is too long, or does not end in time */
export function readInput(stream: Readable, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: () => void): void => {
      clearTimeout(timer);
      stream.off('data', take).off('end', end).off('error', fail).pause();
      // A pipe whose other end stays open must not keep the process running.
      (stream as { unref?: () => void }).unref?.();
      outcome();
    };
    const refuse = (message: string): void => settle(() => reject(new HookInputError(message)));
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_BYTES) refuse(`standard input has more than ${MOST_BYTES} bytes`);
    };
    const end = (): void => settle(() => resolve(Buffer.concat(chunks).toString('utf8')));
    const fail = (error: Error): void => refuse(`standard input cannot be read: ${error.message}`);
    const timer = setTimeout(() => refuse(`standard input did not end within ${timeoutMs} ms`), timeoutMs);
    stream.on('data', take).on('end', end).on('error', fail);
  });
}
