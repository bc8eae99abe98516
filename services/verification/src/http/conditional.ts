import { createHash } from 'node:crypto';
import { HttpAnswer } from '@countersign/http-edge';
import type { StoredPackage } from '../store/package-bodies.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"/g;

/** An answer that the caller may have cached. */
export interface Representation {
  readonly contentType: string;
  /** In quotes: the same exactly for the same bytes. */
  readonly etag: string;
  readonly cacheControl: string;
  read(): Promise<StoredPackage> | string;
}

/** @param ifNoneMatch the header; where it names the entity tag, nothing is read and the answer is 304 (RFC 9110, 13.1.2) */
export async function conditional(answer: Representation, ifNoneMatch: string | undefined): Promise<HttpAnswer> {
  const headers = { etag: answer.etag, 'cache-control': answer.cacheControl };
  if (names(ifNoneMatch, answer.etag)) return HttpAnswer.empty(304, headers);
  const content = await answer.read();
  if (typeof content === 'string') return HttpAnswer.text(200, answer.contentType, content, headers);
  const length = { 'content-length': String(content.bytes) };
  return HttpAnswer.stream(200, answer.contentType, content.chunks, { ...headers, ...length });
}

/** JSON, with the entity tag of its text. */
export function jsonRepresentation(value: unknown, cacheControl: string): Representation {
  return textRepresentation(JSON_TYPE, JSON.stringify(value), cacheControl);
}

/** @see jsonRepresentation */
export function textRepresentation(contentType: string, text: string, cacheControl: string): Representation {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  return { contentType, etag, cacheControl, read: () => text };
}

/** Uses the weak comparison, as this header requires. */
function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return (ifNoneMatch.match(ENTITY_TAG) ?? []).some((tag) => tag.replace(/^W\//, '') === etag);
}
