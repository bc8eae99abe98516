import { parseUrl } from './parse-url.js';

/** More rounds of percent-encoding inside each other than this are nobody's honest path. */
const MAX_ROUNDS = 4;

const ENCODED = /%[0-9A-Fa-f]{2}/;
/** By byte. */
const ENCODINGS = Array.from({ length: 256 }, (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);
const UNRESERVED = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[A-Za-z0-9._~-]/.test(String.fromCharCode(byte))),
);

/**
 * The paths that servers may see in one path, each as its segments: as the URL standard parsed it, and as it reads when
 * someone behind decodes it once more (`..%2f`, `%252e`, `..;`), again and again until nothing is left to decode.
 * Empty segments do not count. The first is always there; more only where they may differ.
 * `null` when four rounds of decoding do not come to an end.
 */
export function pathViews(pathname: string): readonly (readonly string[])[] | null {
  const plain = !pathname.includes('%') && !pathname.includes(';');
  if (plain) return [segmentsOf(pathname)];
  const views = [segmentsOf(decodeUnreserved(pathname))];
  let text = pathname;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const again = ENCODED.test(text);
    text = again ? decodeOnce(text) : text;
    views.push(...resolve(text));
    if (!ENCODED.test(text)) return views;
  }
  return null;
}

/** Runs of slashes after the host, before a query or a fragment. */
const SLASH_RUN = /(?<![:/\\])[/\\][/\\]+/;
const SLASH_RUNS = new RegExp(SLASH_RUN, 'g');

/**
 * {@link pathViews} of a URL as received. Where it has empty segments, also as servers see it that merge slashes before
 * they remove dot segments: `/v1//../admin` is `/v1/admin` by the URL standard, and `/admin` to them.
 */
export function urlPathViews(text: string, pathname: string): readonly (readonly string[])[] | null {
  const views = pathViews(pathname);
  // The URL standard drops these wherever they stand.
  const received = text.replace(/[\t\n\r]/g, '');
  if (views === null || !SLASH_RUN.test(received)) return views;
  const [before] = received.split(/[?#]/, 1) as [string];
  const mergedText = before.replace(SLASH_RUNS, '/');
  const mergedPath = parseUrl(mergedText)?.pathname;
  const merged = mergedPath === undefined ? null : pathViews(mergedPath);
  return merged === null ? null : [...views, ...merged];
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** RFC 3986 section 6.2.2: letters, digits and `-._~` are the same, encoded or not; hex digits in upper case. */
function decodeUnreserved(path: string): string {
  return recode(path, isUnreserved);
}

/** One byte, one character: no encoding can make it fail. */
function decodeOnce(path: string): string {
  return recode(path, () => true);
}

/**
 * Each `%XX` as its character where `decodes` says so, else with its digits in upper case. By hand: a pattern with a
 * function for each match takes a second for the longest URLs that are sent.
 */
function recode(path: string, decodes: (byte: number) => boolean): string {
  let text = '';
  let written = 0;
  for (let at = path.indexOf('%'); at >= 0; at = path.indexOf('%', at + 1)) {
    const high = hexValue(path.charCodeAt(at + 1));
    const low = high < 0 ? -1 : hexValue(path.charCodeAt(at + 2));
    if (low < 0) continue;
    const byte = high * 16 + low;
    if (at > written) text += path.slice(written, at);
    text += decodes(byte) ? String.fromCharCode(byte) : ENCODINGS[byte]!;
    written = at + 3;
    at += 2;
  }
  return written === 0 ? path : text + path.slice(written);
}

/** -1 for what is no hex digit. */
function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x61 + 10 : -1;
}

function isUnreserved(byte: number): boolean {
  return UNRESERVED[byte] === 1;
}

/**
 * Backslashes as slashes, path parameters (`;…`) cut, dot segments removed (RFC 3986 section 5.2.4): with empty segments
 * dropped first, and where that differs, as `..` goes back over them.
 */
function resolve(path: string): readonly string[][] {
  const merged: string[] = [];
  const apart: string[] = [];
  let differs = false;
  for (const raw of path.replaceAll('\\', '/').split('/').slice(1)) {
    const cut = raw.indexOf(';');
    const segment = cut < 0 ? raw : raw.slice(0, cut);
    if (segment === '.') continue;
    if (segment === '..') {
      differs ||= apart.at(-1) === '';
      merged.pop();
      apart.pop();
    } else {
      if (segment !== '') merged.push(segment);
      apart.push(segment);
    }
  }
  return differs ? [merged, apart.filter((segment) => segment !== '')] : [merged];
}
