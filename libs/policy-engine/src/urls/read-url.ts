import { normalHost } from './normal-host.js';

/** The parts of a URL that rules are judged by, from one parsing. */
export interface ReadUrl {
  readonly scheme: 'http:' | 'https:';
  readonly host: string;
  /** The one in effect: 80 or 443 where none is written. */
  readonly port: string;
  readonly pathname: string;
  /** As received. */
  readonly text: string;
}

/** As the URL standard (WHATWG) parses it; `null` for what does not parse, is not http(s), or names no host. */
export function readUrl(text: string): ReadUrl | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  const scheme = url.protocol;
  if (scheme !== 'http:' && scheme !== 'https:') return null;
  const host = normalHost(url.hostname);
  if (host === null) return null;
  return { scheme, host, port: url.port || (scheme === 'https:' ? '443' : '80'), pathname: url.pathname, text };
}
