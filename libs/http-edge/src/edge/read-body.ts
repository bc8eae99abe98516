import type { IncomingMessage } from 'node:http';
import { BODY_LIMITS, JsonRefused, parseJsonStrict, VERIFICATION_LIMITS } from '@countersign/evidence';
import type { Route } from '@countersign/contracts';
import { BodyBudget } from './body-budget.js';
import type { BodyShare } from './body-budget.js';
import { HttpRefusal } from './http-contract.js';
import { RawBody, SegmentWriter } from './raw-body.js';

const MEBIBYTE = 1024 * 1024;
/** Large bodies have a budget of their own: they leave the others theirs. One holder has a quarter, or a half of them. */
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

/** What a chunk takes in memory beside its bytes: a body may come in chunks of one. */
const CHUNK_BYTES = 256;

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

/**
 * How large the body may be, bytes: as its head announces, at most what the route takes; without a length, all of that.
 * Zero where there is none, or where the route takes none.
 */
export function announcedBytes(request: IncomingMessage, route: Route): number {
  if (route.body === undefined || !hasBody(request)) return 0;
  const most = LIMITS[route.bodyLimit ?? 'default'].bytes;
  const length = request.headers['content-length'];
  return length === undefined ? most : Math.min(Number(length), most);
}

/** @throws HttpRefusal 415 unless the headers say JSON in UTF-8 without an encoding; no content type means JSON */
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
 * Gives each chunk of the body to `keep`, counted: no more than the limit, nor more than the budget has, are ever held.
 * @returns the bytes of all
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
        // What still comes is dropped, so that the connection can be used again.
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

/** The caller went away before the body was whole: nobody is left to answer. */
export class RequestCut extends Error {
  override readonly name = 'RequestCut';
}

/**
 * The JSON body of a request, strictly parsed, or a {@link RawBody} where the route asks for one, which the caller must
 * release; `undefined` where the route takes none, whatever was sent.
 * @param holder whose share of what may be held it takes: an account, or an address
 * @throws HttpRefusal 415, 413 or 400, in this order; 503 while the bodies of all requests, or those of this holder, are
 *   more than may be held
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
