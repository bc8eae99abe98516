import { normalHost } from './normal-host.js';
import { parseUrl } from './parse-url.js';

/** The parts of a URL that rules are judged by, from one parsing. */
export interface ReadUrl {
  readonly scheme: 'http:' | 'https:';
  readonly host: string;
  /** The one in effect: 80 or 443 where none is written. */
  readonly port: string;
  readonly pathname: string;
  /** As received. */
  readonly text: string;
  /** Every server sees the same path in it. */
  readonly plain: boolean;
}

/**
 * User information, host and port of any URL that leads anywhere are shorter. To parse a host of n combining marks takes
 * n² steps.
 */
const MOST_AUTHORITY = 1024;
/** Well below what DNS allows. */
const LONGEST_PLAIN_HOST = 200;

/** What is longer no server takes, and to look at its paths would hold up other checks. */
const MOST_TEXT = 65_536;

/** Characters between the scheme's slashes and the path, as the URL standard finds them, before it drops or decodes any. */
function authorityLength(text: string): number {
  const scheme = text.indexOf(':');
  let at = scheme + 1;
  while (at < text.length && isSlashOrDropped(text.charCodeAt(at))) at += 1;
  const rest = text.slice(at).search(/[/\\?#]/);
  return rest < 0 ? text.length - at : rest;
}

/** `/`, `\\`, and tab and line breaks, which are dropped wherever they stand. */
function isSlashOrDropped(code: number): boolean {
  return code === 0x2f || code === 0x5c || code === 0x09 || code === 0x0a || code === 0x0d;
}

/**
 * Texts that the URL standard leaves as they are: a lower-case host name whose last label is letters alone (so it is no
 * address), no port, segments that do not begin with a dot, nothing encoded.
 */
const AS_IT_STANDS =
  /^(https?:)\/\/((?:[a-z0-9-]+\.)+[a-z]{2,})((?:\/[A-Za-z0-9_~-][A-Za-z0-9_~.-]*)*\/?)(?:\?[A-Za-z0-9_~.=&-]*)?$/;

/** What {@link parsed} gives, for most URLs that agents send at a tenth of its cost; `undefined`: it has to be asked. */
function readAsItStands(text: string): ReadUrl | undefined {
  const [, scheme, host, path] = AS_IT_STANDS.exec(text) ?? [];
  // Labels in Punycode are decoded and looked at.
  if (host === undefined || host.length > LONGEST_PLAIN_HOST || host.includes('xn--')) return undefined;
  const pathname = path === '' ? '/' : path!;
  return scheme === 'https:'
    ? { scheme, host, port: '443', pathname, text, plain: true }
    : { scheme: 'http:', host, port: '80', pathname, text, plain: true };
}

/** As the URL standard (WHATWG) parses it; `null` for what does not parse, is not http(s), is too long, or names no host. */
export function readUrl(text: string): ReadUrl | null {
  if (text.length > MOST_TEXT) return null;
  if (text.length > MOST_AUTHORITY && authorityLength(text) > MOST_AUTHORITY) return null;
  return (text.length <= MOST_AUTHORITY ? readAsItStands(text) : undefined) ?? parsed(text);
}

function parsed(text: string): ReadUrl | null {
  const url = parseUrl(text);
  if (url === null) return null;
  const scheme = url.protocol;
  if (scheme !== 'http:' && scheme !== 'https:') return null;
  const host = normalHost(url.hostname);
  if (host === null) return null;
  const port = url.port || (scheme === 'https:' ? '443' : '80');
  return { scheme, host, port, pathname: url.pathname, text, plain: false };
}
