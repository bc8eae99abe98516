import type { IncomingMessage } from 'node:http';
import { BODY_LIMITS, JsonRefused, parseJsonStrict, VERIFICATION_LIMITS } from '@countersign/evidence';
import type { Route } from '@countersign/contracts';
import { BodyBudget } from './body-budget.js';
import type { BodyShare } from './body-budget.js';
import { HttpRefusal } from './http-contract.js';
import { RawBody, SegmentWriter } from './raw-body.js';

const MEBIBYTE = 1024 * 1024;
/** Large bodies have a budget of their own. One holder may take a quarter of the default budget, half of the large one. */
const LIMITS = {
  default: {
    bytes: MEBIBYTE,
    words: '1 MiB',
    json: BODY_LIMITS,
    budget: new BodyBudget(128 * MEBIBYTE, 32 * MEBIBYTE),
  },
  verification: {
    bytes: 64 * MEBIBYTE,
    words: '64 MiB',
    json: VERIFICATION_LIMITS,
    budget: new BodyBudget(256 * MEBIBYTE, 128 * MEBIBYTE),
  },
} as const;

/** Memory of a chunk in addition to its bytes; chunks may be one byte long. */
const CHUNK_BYTES = 256;

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

/**
 * Returns the possible size of the body, bytes: its announced length, at most the limit of the route; without a length, that
 * limit. Zero if there is no body, or the route takes none.
 */
export function announcedBytes(request: IncomingMessage, route: Route): number {
  if (route.body === undefined || !hasBody(request)) return 0;
  const most = LIMITS[route.bodyLimit ?? 'default'].bytes;
  const length = request.headers['content-length'];
  return length === undefined ? most : Math.min(Number(length), most);
}

/** @throws HttpRefusal 415 unless the headers declare JSON in UTF-8 without an encoding; no content type means JSON */
function requireJson(request: IncomingMessage): void {
  if (request.headers['content-encoding'] !== undefined) {
    throw new HttpRefusal(415, 'send the body without Content-Encoding');
  }
  const type = request.headers['content-type'];
  if (type === undefined) return;
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const name = charset?.slice('charset='.length).replaceAll('"', '');
  if (media !== 'application/json' || (name !== undefined && name !== 'utf-8' && name !== 'utf8')) {
    throw new HttpRefusal(415, 'send the body as application/json in UTF-8');
  }
}

interface Limit {
  readonly bytes: number;
  readonly words: string;
}

/**
 * Passes each chunk of the body to `keep`, and never holds more than the limit or the budget allows.
 * @returns the size of the body, bytes
 */
function collect(
  request: IncomingMessage,
  { bytes, words }: Limit,
  share: BodyShare,
  keep: (chunk: Buffer) => void,
): Promise<number> {
  const tooLarge = (): HttpRefusal => new HttpRefusal(413, `send a body of at most ${words}`);
  if (Number(request.headers['content-length'] ?? 0) > bytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    let size = 0;
    const finish = (settle: () => void): void => {
      request.off('data', take).off('end', done).off('error', fail).off('close', cut);
      settle();
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > bytes) {
        request.pause();
        finish(() => reject(tooLarge()));
      } else if (!share.take(chunk.length + CHUNK_BYTES)) {
        // Reads and drops the rest, so that the connection can be reused.
        request.resume();
        finish(() => reject(new HttpRefusal(503, 'too many bodies are under way: try again', { 'retry-after': '1' })));
      } else keep(chunk);
    };
    const done = (): void => finish(() => resolve(size));
    const fail = (): void => finish(() => reject(new RequestCut()));
    const cut = (): void => finish(() => reject(new RequestCut()));
    request.on('data', take).on('end', done).on('error', fail).on('close', cut);
  });
}

/** The client closed the connection before the body was complete. */
export class RequestCut extends Error {
  override readonly name = 'RequestCut';
}

/**
 * Reads the JSON body of a request with the strict parser, or a {@link RawBody} if the route asks for one, which the caller
 * must release; `undefined` if the route takes none.
 * @param holder whose share of the budget it takes: an account, or an address
 * @throws HttpRefusal 415, 413 or 400, in this order; 503 while the budget, or the part of this holder, is used up
 */
export async function readBody(request: IncomingMessage, route: Route, holder: string): Promise<unknown> {
  if (route.body === undefined) return undefined;
  if (route.bodyOptional && !hasBody(request)) return {};
  requireJson(request);
  const limits = LIMITS[route.bodyLimit ?? 'default'];
  const share = limits.budget.share(holder);
  if (route.bodyForm === 'raw') return readRaw(request, limits, share);
  try {
    const chunks: Buffer[] = [];
    const size = await collect(request, limits, share, (chunk) => chunks.push(chunk));
    if (size === 0 && route.bodyOptional) return {};
    return parseJsonStrict(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size), limits.json);
  } catch (error) {
    if (error instanceof JsonRefused) throw new HttpRefusal(400, error.message);
    throw error;
  } finally {
    share.giveBack();
  }
}

async function readRaw(request: IncomingMessage, limit: Limit, share: BodyShare): Promise<RawBody> {
  const writer = new SegmentWriter();
  try {
    const size = await collect(request, limit, share, (chunk) => writer.add(chunk));
    return new RawBody(writer.end(), size, share);
  } catch (error) {
    share.giveBack();
    throw error;
  }
}
