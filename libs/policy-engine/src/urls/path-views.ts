import { parseUrl } from './parse-url.js';
import { decodeOnce, decodeUnreserved, isEncoded } from './percent-encoding.js';
import type { ReadUrl } from './read-url.js';

/** Honest paths have no more nested percent-encodings than this. */
const MAX_ROUNDS = 4;

/**
 * The paths that servers may read in one path, each as its segments: as the URL standard parsed it, and after each
 * further decoding (`..%2f`, `%252e`, `..;`) until nothing is left to decode. Empty segments do not count. The first is
 * always present; more only where they may differ. `null` when decoding does not end after four rounds.
 */
export function pathViews(pathname: string): readonly (readonly string[])[] | null {
  const plain = !pathname.includes('%') && !pathname.includes(';');
  if (plain) return [segmentsOf(pathname)];
  const views = [segmentsOf(decodeUnreserved(pathname))];
  let text = pathname;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const again = isEncoded(text);
    text = again ? decodeOnce(text) : text;
    views.push(...resolve(text.replaceAll('\\', '/'), true));
    if (!isEncoded(text)) return views;
  }
  return null;
}

const DOT_SEGMENT = /\/\.\.?(?:\/|$)/;
/** Characters of all readings of the paths of one call. Honest paths have fewer. */
const MOST_CHARACTERS = 8 * 65_536;
/** Cost of one further reading, in characters. */
const EACH_WAY = 64;

/**
 * Remaining cost for the paths of one call, or of all calls of one request: many short paths would otherwise delay
 * other checks as a long one would.
 */
export class ReadingBudget {
  #left: number;

  constructor(characters = MOST_CHARACTERS) {
    this.#left = characters;
  }

  /** Reports whether a request exceeded it. */
  get over(): boolean {
    return this.#left < 0;
  }

  /** Reports whether it covers one further reading of this many characters. */
  take(characters: number): boolean {
    if (this.#left >= 0) this.#left -= characters + EACH_WAY;
    return this.#left >= 0;
  }
}

/**
 * {@link pathViews} of a URL as received, and the readings of servers that do not begin as the URL standard does, which
 * removes dot segments before anything is decoded or merged: `/v1//../admin`, `/v1/%2f/../admin` and `/v1/..;/../admin`
 * are `/v1/admin` to it and `/admin` to them. The result is cached with the URL.
 * @returns `null` also where `budget` does not cover them
 */
export function urlPathViews(url: ReadUrl, budget: ReadingBudget): readonly (readonly string[])[] | null {
  const { text, pathname, plain } = url;
  if (plain) return [segmentsOf(pathname)];
  if (url.views !== undefined) return url.views;
  const received = receivedPath(text);
  if (GLOB.test(received)) return (url.views = null);
  const kept = received.replace(KEPT_BY_SOME, (sign) => encodeURIComponent(sign));
  const paths = [pathname, encodedPath(received), ...(kept === received ? [] : [encodedPath(kept)])];
  return (url.views = readings(paths, budget));
}

/**
 * The URL standard turns the first into a slash and removes the others; curl and Python send them as they are, or
 * encoded.
 */
const KEPT_BY_SOME = /[\\\t\n\r]/g;

/** The curl command expands each of these to other paths: `admi[n-n]`, `{x,../admin}`. */
const GLOB = /[[{]/;

/** The text between authority and query. */
function receivedPath(text: string): string {
  return /^[^:]*:\/\/[^/?#]*([^?#]*)/.exec(text)?.[1] ?? '';
}

/**
 * A received path with non-ASCII characters encoded, as the URL standard does, but with its dot segments: the parser
 * finds none because each segment begins with a letter.
 */
function encodedPath(path: string): string {
  return parseUrl(`http://h${path.replaceAll('/', '/x')}`)!.pathname.replaceAll('/x', '/');
}

/**
 * Every order of decoding, merging of slashes, cutting of parameters and removal of dot segments; `null` when they are
 * too many, or decoding does not end after four rounds.
 */
function readings(paths: readonly string[], budget: ReadingBudget): readonly (readonly string[])[] | null {
  const views: (readonly string[])[] = [];
  let texts = paths;
  for (let round = 0; round <= MAX_ROUNDS; round += 1) {
    const alike = new Set(texts);
    const next = new Set<string>();
    // Grows during the iteration.
    for (const text of alike) {
      if (!budget.take(text.length)) return null;
      for (const view of DOT_SEGMENT.test(text) ? resolve(text, false) : [segmentsOf(text)]) {
        views.push(view.map(decodeUnreserved));
        alike.add(`/${view.join('/')}`);
      }
      // Some merge slashes once, before they decode: what is decoded to a slash then stays an empty segment.
      if (text.includes('//')) alike.add(text.replace(/\/{2,}/g, '/'));
      if (text.includes(';')) alike.add(text.replace(/;[^/]*/g, ''));
      if (isEncoded(text)) next.add(decodeOnce(text).replaceAll('\\', '/'));
    }
    if (next.size === 0) return views;
    texts = [...next];
  }
  return null;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/**
 * Removes dot segments (RFC 3986 section 5.2.4): with empty segments dropped first, and where that differs, with `..`
 * removing them. @param cuts removes path parameters (`;…`) first
 */
function resolve(path: string, cuts: boolean): readonly string[][] {
  const merged: string[] = [];
  const apart: string[] = [];
  let differs = false;
  for (const raw of path.split('/').slice(1)) {
    const cut = cuts ? raw.indexOf(';') : -1;
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
