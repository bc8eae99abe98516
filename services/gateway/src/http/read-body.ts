import type { IncomingMessage } from 'node:http';

export const MAX_BODY_BYTES = 1024 * 1024;

/** The whole body, or why it is missing: longer than allowed, no room for it, or the client closed the connection. */
export type BodyRead = Buffer | 'too large' | 'no room' | 'cut';

const EMPTY = Buffer.alloc(0);

/**
 * Collects a body of at most {@link MAX_BODY_BYTES}; more is never held. Calls back once.
 * @param room reserves bytes of it: called before they are held
 */
export function readBody(
  request: IncomingMessage,
  contentLength: number,
  room: (bytes: number) => boolean,
  done: (body: BodyRead) => void,
): void {
  if (contentLength > MAX_BODY_BYTES) done('too large');
  else new BodyReader(request, room, done).start();
}

class BodyReader {
  #done: ((body: BodyRead) => void) | null;
  #first: Buffer | null = null;
  #rest: Buffer[] | null = null;
  #size = 0;

  constructor(
    private readonly request: IncomingMessage,
    private readonly room: (bytes: number) => boolean,
    done: (body: BodyRead) => void,
  ) {
    this.#done = done;
  }

  start(): void {
    this.request.on('data', (chunk: Buffer) => this.#take(chunk));
    this.request.on('end', () => this.#finish(this.#whole()));
    const cut = (): void => this.#finish('cut');
    this.request.on('error', cut);
    this.request.on('close', cut);
  }

  #take(chunk: Buffer): void {
    if (this.#done === null) return;
    this.#size += chunk.length;
    if (this.#size > MAX_BODY_BYTES) {
      this.request.pause();
      this.#finish('too large');
    } else if (!this.room(this.#size)) {
      // The rest is discarded, so that the connection can be used again.
      this.#finish('no room');
    } else if (this.#first === null) this.#first = chunk;
    else (this.#rest ??= []).push(chunk);
  }

  #whole(): Buffer {
    if (this.#first === null) return EMPTY;
    return this.#rest === null ? this.#first : Buffer.concat([this.#first, ...this.#rest], this.#size);
  }

  #finish(body: BodyRead): void {
    const done = this.#done;
    // Releases body and check, since the request lives as long as the response takes.
    this.#done = this.#first = this.#rest = null;
    done?.(body);
  }
}
