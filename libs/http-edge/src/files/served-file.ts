import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { HttpAnswer, writeAnswer } from '../edge/answer.js';

/** A file of a page, in memory. */
export interface ServedFile {
  readonly contentType: string;
  readonly content: Uint8Array;
  /** SHA-256 of the content, in lower-case hex. */
  readonly sha256: string;
  /** The content as gzip, compressed at the first request. */
  readonly zipped: () => Promise<Uint8Array>;
}

export function servedFile(contentType: string, content: Uint8Array): ServedFile {
  const sha256 = createHash('sha256').update(content).digest('hex');
  let zipping: Promise<Uint8Array> | null = null;
  return { contentType, content, sha256, zipped: () => (zipping ??= promisify(gzip)(content, { level: 9 })) };
}

/** Asked for each time, and answered with 304 if the caller has it. */
export const REVALIDATED = 'public, no-cache';
/** For names that hold a hash of the content. */
export const FOR_A_YEAR = 'public, max-age=31536000, immutable';

/**
 * Sends a file: as gzip if the client accepts that, and 304 without a body if it has the file.
 * @param headers of the answer, in addition to entity tag, encoding and `Vary`
 * @param caching `REVALIDATED` or `FOR_A_YEAR`
 */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: ServedFile,
  headers: Readonly<Record<string, string>>,
  caching: string,
): Promise<void> {
  const { 'if-none-match': known, 'accept-encoding': encodings = '' } = request.headers;
  const zipped = /(?:^|[,\s])gzip(?:\s*(?:,|$))/.test(String(encodings));
  // Two representations of one resource have two entity tags (RFC 9110 section 8.8.3.3).
  const etag = `"${file.sha256.slice(0, 32)}${zipped ? '-gzip' : ''}"`;
  const all = { ...headers, vary: 'accept-encoding', 'cache-control': caching, etag };
  if (known === etag) return writeAnswer(response, HttpAnswer.empty(304, all));
  const body = zipped ? await file.zipped() : file.content;
  const encoding: Record<string, string> = zipped ? { 'content-encoding': 'gzip' } : {};
  return writeAnswer(response, HttpAnswer.text(200, file.contentType, body, { ...all, ...encoding }));
}
