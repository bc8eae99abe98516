import { CLIENT_ADDRESS_HEADER } from '@countersign/http-edge';

/** Hop-by-hop headers (RFC 9110 section 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);

/** Names in a `Connection` header are hop-by-hop as well. */
function namedByConnection(rawHeaders: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() !== 'connection') continue;
    for (const name of rawHeaders[i + 1]!.split(',')) names.add(name.trim().toLowerCase());
  }
  return names;
}

/** Headers that a `Connection` header may not remove. */
const KEPT = new Set(['host', 'content-length', 'transfer-encoding', 'authorization', 'x-service-key', 'content-type']);

/**
 * Headers of a request or an answer for the next hop, with order, case and repetitions preserved. `transfer-encoding`
 * stays: it marks a body as chunked, and Node chunks it again.
 */
export function forwardedHeaders(rawHeaders: readonly string[]): string[] {
  const named = namedByConnection(rawHeaders);
  const kept: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (HOP_BY_HOP.has(name) || (named.has(name) && !KEPT.has(name)) || name === CLIENT_ADDRESS_HEADER) continue;
    kept.push(rawHeaders[i]!, rawHeaders[i + 1]!);
  }
  return kept;
}

/** True if a body follows these headers (RFC 9112 section 6): without them, a request has none. */
export function announcesBody(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((text, i) => i % 2 === 0 && /^(content-length|transfer-encoding)$/i.test(text));
}
