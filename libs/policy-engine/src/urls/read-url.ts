import { authorityProblem } from './authority.js';
import { isIpAddress, normalHost } from './normal-host.js';
import { parseUrl } from './parse-url.js';

/** The parts of a URL that rules judge, from one parsing. */
export interface ReadUrl {
  readonly scheme: 'http:' | 'https:';
  readonly host: string;
  /** The host that clients of IDNA 2003 request, which reads `ß` as `ss` and `ς` as `σ`; `null`: `host` as well. */
  readonly otherHost: string | null;
  /** The one in effect: 80 or 443 where none is written. */
  readonly port: string;
  readonly pathname: string;
  /** As received, without surrounding spaces and control characters. */
  readonly text: string;
  /** Every server reads the same path in it. */
  readonly plain: boolean;
  /** Cached result of `urlPathViews`. */
  views?: readonly (readonly string[])[] | null;
}

/** Longer texts are read step by step. */
const MOST_PLAIN_TEXT = 1024;
/** Well below what DNS allows. */
const LONGEST_PLAIN_HOST = 200;

/** Servers accept no longer ones, and reading their paths would delay other checks. */
const MOST_TEXT = 65_536;

/**
 * Texts that the URL standard leaves unchanged: a lower-case host name whose last label is letters only (so it is not
 * an address), no port, segments that do not begin with a dot, nothing encoded.
 */
const AS_IT_STANDS =
  /^(https?:)\/\/((?:[a-z0-9-]+\.)+[a-z]{2,})((?:\/[A-Za-z0-9_~-][A-Za-z0-9_~.-]*)*\/?)(?:\?[A-Za-z0-9_~.=&-]*)?$/;

/**
 * The result of {@link readUrl}, at a tenth of its cost, for most URLs that agents send; `undefined`: use that
 * function.
 */
export function readAsItStands(text: string): ReadUrl | undefined {
  if (text.length > MOST_PLAIN_TEXT) return undefined;
  const [, scheme, host, path] = AS_IT_STANDS.exec(text) ?? [];
  // Punycode labels have to be decoded.
  if (host === undefined || host.length > LONGEST_PLAIN_HOST || host.includes('xn--')) return undefined;
  const pathname = path === '' ? '/' : path!;
  return scheme === 'https:'
    ? { scheme, host, otherHost: null, port: '443', pathname, text, plain: true }
    : { scheme: 'http:', host, otherHost: null, port: '80', pathname, text, plain: true };
}

/**
 * A URL as every client reads it: the URL standard (WHATWG), RFC 3986, curl, Go, Java, Python. A text that some of them
 * read as another authority, or not at all, is refused.
 * @returns the URL, or why it cannot be judged: the rest of a sentence that begins with the URL and never quotes it
 */
export function readUrl(received: string): ReadUrl | string {
  if (received.length > MOST_TEXT) return `is longer than ${MOST_TEXT} characters`;
  return readAsItStands(received) ?? readReceived(trimmed(received));
}

/** As the URL standard (WHATWG) alone parses it; `null` for what does not parse, is not http(s), or names no host. */
export function parseHttpUrl(text: string): ReadUrl | null {
  const url = parseUrl(text);
  if (url === null) return null;
  const scheme = url.protocol;
  if (scheme !== 'http:' && scheme !== 'https:') return null;
  const host = normalHost(url.hostname);
  if (host === null) return null;
  const port = url.port || (scheme === 'https:' ? '443' : '80');
  return { scheme, host, otherHost: null, port, pathname: url.pathname, text, plain: false };
}

/** Accepted unchanged or refused by all clients except those of the URL standard. */
const CONTROL = /[\0-\x1f\x7f]/;
const HTTP = /^https?:/i;
/** Beyond ASCII: Python's clients remove it, others encode it. */
const LAST_BLANK = /[\s\x85]$/;
/** A slash in the URL standard and an ordinary character elsewhere, also in a path. */
const BACKSLASH = /^[^?#]*\\/;
const AUTHORITY = /^https?:\/\/([^/?#]*)/i;
const DEVIATION = /[ßς]/;

function readReceived(text: string): ReadUrl | string {
  if (!HTTP.test(text)) return 'is not an http or https URL';
  if (CONTROL.test(text)) return 'has a tab, a line break or another control character';
  if (LAST_BLANK.test(text)) return 'ends with a blank, which some clients remove';
  if (BACKSLASH.test(text)) return 'has a backslash, which some clients read as a slash';
  const [, authority] = AUTHORITY.exec(text) ?? [];
  if (authority === undefined) return 'has no two slashes after its scheme';
  const read = authorityProblem(authority);
  if (typeof read === 'string') return read;
  const url = parseHttpUrl(text);
  if (url === null) return 'has a host or port that does not parse';
  if (isIpAddress(url.host) && !url.host.startsWith('[') && !read.host.startsWith('[') && url.host !== read.host) {
    return 'writes its IP address otherwise than as four decimal numbers, which clients read differently';
  }
  if (!DEVIATION.test(read.host)) return url;
  const other = parseHttpUrl(`http://${read.host.replaceAll('ß', 'ss').replaceAll('ς', 'σ')}/`);
  return other === null ? 'has a host that clients read differently' : { ...url, otherHost: other.host };
}

/** Without the characters that the URL standard removes around a URL; other clients do so too, or refuse it. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text.charCodeAt(from) <= 0x20) from += 1;
  while (to > from && text.charCodeAt(to - 1) <= 0x20) to -= 1;
  return text.slice(from, to);
}
