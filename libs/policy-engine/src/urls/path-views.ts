import { parseUrl } from './parse-url.js';
import { decodeOnce, decodeUnreserved, isEncoded } from './percent-encoding.js';
import type { ReadUrl } from './read-url.js';

/** More rounds of percent-encoding inside each other than this are nobody's honest path. */
const MAX_ROUNDS = 4;

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
    const again = isEncoded(text);
    text = again ? decodeOnce(text) : text;
    views.push(...resolve(text.replaceAll('\\', '/'), true));
    if (!isEncoded(text)) return views;
  }
  return null;
}

const DOT_SEGMENT = /\/\.\.?(?:\/|$)/;
/** Of the ways in which servers may see the paths of one call. More are nobody's honest paths. */
const MOST_CHARACTERS = 8 * 65_536;
/** To look at one more way costs as much as so many characters do. */
const EACH_WAY = 64;

/**
 * How much may still be read of the paths of one call, or of all calls that one request asks about: short paths that are
 * many would else hold up other checks as a long one would.
 */
export class ReadingBudget {
  #left = MOST_CHARACTERS;

  /** Whether something was asked for that it did not cover. */
  get over(): boolean {
    return this.#left < 0;
  }

  /** Whether it covers one more way that has so many characters. */
  take(characters: number): boolean {
    if (this.#left >= 0) this.#left -= characters + EACH_WAY;
    return this.#left >= 0;
  }
}

/**
 * {@link pathViews} of a URL as received, and what servers make of it that do not begin as the URL standard does, which
 * removes dot segments before anything is decoded or merged: `/v1//../admin`, `/v1/%2f/../admin` and `/v1/..;/../admin`
 * are `/v1/admin` to it and `/admin` to them. Once they were asked for they are kept with the URL.
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

/** The URL standard makes a slash of the first and removes the others; curl and Python send them as they are, or encoded. */
const KEPT_BY_SOME = /[\\\t\n\r]/g;

/** From each of these the command curl makes other paths: `admi[n-n]`, `{x,../admin}`. */
const GLOB = /[[{]/;

/** What stands between authority and query. */
function receivedPath(text: string): string {
  return /^[^:]*:\/\/[^/?#]*([^?#]*)/.exec(text)?.[1] ?? '';
}

/**
 * A received path with what is not ASCII encoded, as the URL standard does, but with its dot segments: the parser finds
 * none where each segment begins with a letter.
 */
function encodedPath(path: string): string {
  return parseUrl(`http://h${path.replaceAll('/', '/x')}`)!.pathname.replaceAll('/x', '/');
}

/**
 * Every way in which decoding, merging of slashes, cutting of parameters and removal of dot segments may follow each
 * other; `null` when they are too many, or four rounds of decoding do not come to an end.
 */
function readings(paths: readonly string[], budget: ReadingBudget): readonly (readonly string[])[] | null {
  const views: (readonly string[])[] = [];
  let texts = paths;
  for (let round = 0; round <= MAX_ROUNDS; round += 1) {
    const alike = new Set(texts);
    const next = new Set<string>();
    // Grows while it is gone through.
    for (const text of alike) {
      if (!budget.take(text.length)) return null;
      for (const view of DOT_SEGMENT.test(text) ? resolve(text, false) : [segmentsOf(text)]) {
        views.push(view.map(decodeUnreserved));
        alike.add(`/${view.join('/')}`);
      }
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
 * Dot segments removed (RFC 3986 section 5.2.4): with empty segments dropped first, and where that differs, as `..` goes
 * back over them. @param cuts path parameters (`;…`) first
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
