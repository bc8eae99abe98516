import type { ServerResponse } from 'node:http';

export type AnswerBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly contentType: string; readonly content: string | Uint8Array }
  | {
      readonly kind: 'stream';
      readonly contentType: string;
      readonly chunks: AsyncIterable<string | Uint8Array>;
      readonly cut: AbortSignal | null;
    }
  | { readonly kind: 'empty' };

/** Result of a handler that needs headers, another status, text or a stream. */
export class HttpAnswer {
  readonly content: AnswerBody;

  /** A JSON body. */
  constructor(
    readonly status: number,
    body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    this.content = body instanceof Prepared ? body.content : { kind: 'json', value: body };
  }

  static text(
    status: number,
    contentType: string,
    content: string | Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ): HttpAnswer {
    return new HttpAnswer(status, new Prepared({ kind: 'text', contentType, content }), headers);
  }

  /**
   * Sends chunks as they come, no faster than the client reads. An empty chunk sends nothing: with it a stream that waits
   * learns whether the client is still there. A failure after the first chunk ends the connection.
   * @param cut ends it as well, also while the client reads nothing
   */
  static stream(
    status: number,
    contentType: string,
    chunks: AsyncIterable<string | Uint8Array>,
    headers: Readonly<Record<string, string>> = {},
    cut: AbortSignal | null = null,
  ): HttpAnswer {
    return new HttpAnswer(status, new Prepared({ kind: 'stream', contentType, chunks, cut }), headers);
  }

  static empty(status: number, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
    return new HttpAnswer(status, new Prepared({ kind: 'empty' }), headers);
  }
}

const endless = new WeakSet<ServerResponse>();

/**
 * Marks an answer that has no end of its own, as a live feed: a stop of the process cuts it. It ends when the client ends its
 * side of the connection, after which clients of other answers may still read.
 */
export function markEndless(response: ServerResponse): void {
  endless.add(response);
  const { socket } = response.req;
  const leave = (): void => void response.destroy();
  if (socket.readableEnded) leave();
  socket.once('end', leave);
  response.once('close', () => socket.off('end', leave));
}

export function isEndless(response: ServerResponse): boolean {
  return endless.has(response);
}

/** The content type of live feeds, which are {@link isEndless}. */
export const EVENT_STREAM = 'text/event-stream';

class Prepared {
  constructor(readonly content: AnswerBody) {}
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a response completely. Rejects only if a stream fails; before its first chunk nothing has been sent. */
export async function writeAnswer(response: ServerResponse, answer: HttpAnswer): Promise<void> {
  const { content } = answer;
  switch (content.kind) {
    case 'json':
      return writeText(response, answer, JSON_TYPE, JSON.stringify(content.value ?? null));
    case 'text':
      return writeText(response, answer, content.contentType, content.content);
    case 'empty':
      response.writeHead(answer.status, {
        ...answer.headers,
        ...(answer.status === 204 || answer.status === 304 ? {} : { 'content-length': '0' }),
      });
      response.end();
      return;
    case 'stream':
      return writeStream(response, answer, content);
  }
}

function writeText(response: ServerResponse, answer: HttpAnswer, type: string, text: string | Uint8Array): void {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
  response.writeHead(answer.status, {
    'content-type': type,
    ...answer.headers,
    'content-length': String(bytes.byteLength),
  });
  response.end(bytes);
}

async function writeStream(
  response: ServerResponse,
  answer: HttpAnswer,
  { contentType: type, chunks, cut }: Extract<AnswerBody, { kind: 'stream' }>,
): Promise<void> {
  const destroy = (): void => void response.destroy();
  cut?.addEventListener('abort', destroy, { once: true });
  if (type === EVENT_STREAM) markEndless(response);
  const head = (): void => {
    if (!response.headersSent) response.writeHead(answer.status, { 'content-type': type, ...answer.headers });
  };
  try {
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      head();
      if (chunk.length === 0) continue;
      // `HEAD` has no body: the rest of the stream is not read.
      if (response.req.method === 'HEAD') break;
      if (!response.write(chunk)) await drained(response);
    }
    head();
    response.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    cut?.removeEventListener('abort', destroy);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.once('drain', settle);
    response.once('close', settle);
  });
}
