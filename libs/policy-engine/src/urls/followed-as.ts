import { isTooLong } from './authority.js';
import { MOST_HOST, normalHost } from './normal-host.js';
import { parseUrl } from './parse-url.js';
import type { ReadingBudget } from './path-views.js';
import { parseHttpUrl } from './read-url.js';
import type { ReadUrl } from './read-url.js';

/** Possible client readings of a text that denotes an address and is not an http or https URL that all read alike. */
export interface Followed {
  /** The URLs that a client may request. */
  readonly urls: readonly string[];
  /** True if one does: where clients read it differently, its host is unknown. */
  readonly surely: boolean | 'if it parses';
}

const NOWHERE: Followed = { urls: [], surely: false };
/** Characters that the URL standard and Python's urllib remove anywhere in a URL. */
const GAPS = /[\t\n\r]/g;
/** The scheme of a web address, also nested: `view-source:https://…`. A blank after the colon leads nowhere. */
const WEB = /^((?:[a-z][a-z0-9+.-]*:)*?)(https?|wss?|ftp):(?=[^\0-\x20])/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const NO_SCHEME = /^[/\\]{2}[^\s/\\]/;
const HOST_AND_PORT = /^[^\s/?#\\@:]+:\d{1,5}(?:[/?#\\]|$)/;
const USER_AND_HOST = /^(?!mailto:)[^\s/?#\\:]+:[^\s/?#\\]*@/i;
/** A host with characters that no plain word has; a host with a blank cannot be requested. */
const HOST = /^(?=[^/?#\\]*[.\u3002\uff0e\uff61:@%[\\])[^\s/?#\\]+(?:[/?#\\]|$)/u;
const WORD = /^[^\s/?#\\.][^\s/?#\\]*(?:[/?#\\]|$)/u;

/** Cost of parsing a text that may not parse, in characters of paths. */
export const TO_PARSE = 256;

/** A decimal or a time of day; not four numbers, which form an address. */
const NUMBER = /^(?!\d+(?:\.\d+){3}(?:[:/?#\\]|$))(?:[^/?#\\@:]*\.)?\d+(?::\d+)?(?:[/?#\\]|$)/;

/** Another scheme, a path without a host and words are not requested over HTTP. */
export function followedAs(received: string): Followed {
  const text = received.replace(GAPS, '').trim();
  const [web, others, scheme] = WEB.exec(text) ?? [];
  if (web !== undefined) {
    // Not all clients remove the characters in it.
    if (others === '' && /^http/i.test(scheme!)) return { urls: [received], surely: true };
    const url = `${/^(?:https|wss)$/i.test(scheme!) ? 'https' : 'http'}:${text.slice(web.length)}`;
    return { urls: [url], surely: true };
  }
  // Two backslashes begin a Windows path; the host that a browser requests there is looked up.
  if (NO_SCHEME.test(text)) return { urls: [`http:${text}`, `https:${text}`], surely: !text.startsWith('\\\\') };
  if (SCHEME.test(text) && !HOST_AND_PORT.test(text) && !USER_AND_HOST.test(text)) {
    const rest = text.slice(text.indexOf(':') + 1);
    return rest.startsWith('//') ? { urls: [`http:${rest}`, `https:${rest}`], surely: false } : NOWHERE;
  }
  if (!WORD.test(text)) return NOWHERE;
  const url = `http://${text}`;
  return { urls: [url, `https://${text}`], surely: HOST.test(text) && !NUMBER.test(text) && 'if it parses' };
}

/**
 * As read by the URL standard, which removes and maps more than others; `null` also where a client accepts no such
 * host.
 */
export function readLeniently(text: string): ReadUrl | null {
  return isTooLong(authorityOf(text)) ? null : parseHttpUrl(text);
}

/** The authority as the URL standard delimits it. */
export function authorityOf(url: string): string {
  return /^[^:]*:[/\\]*([^/?#\\]*)/.exec(url)?.[1] ?? '';
}

/** The readings of a text with several lines by clients that remove line breaks: up to its first blank, and all. */
export function withoutBreaks(text: string): readonly [toBlank: string, whole: string] {
  const whole = text.replace(GAPS, '');
  return [/^[^ ]*/.exec(whole)![0], whole];
}

/** Scheme and authority of a URL, as far as any client reads them. */
export function beforePath(text: string): string {
  return /^[^:]*:[/\\]*[^/?#]*/.exec(text)?.[0] ?? '';
}

/** A host that is written in a text, and its port if one is. */
export interface WrittenHost {
  readonly host: string;
  readonly port: string | null;
}

const WORDS = /(\[[\da-f:.]+\]|[^\s/?#\\@,;:=&"'<>()[\]{}|`]+)(?::(\d{1,5})(?!\d))?/giu;
const HOST_BY_FORM = /[.\u3002\uff0e\uff61[%]|^localhost$/iu;
const PLAIN_HOST = /^(?:[a-z0-9_-]+\.)+[a-z]{2,}$/i;

const ASCII_NAME = /^[\w.-]+$/;

/**
 * The words of a text that are hosts by their form, as in lists of hosts; with and without the characters that the URL
 * standard removes.
 * @returns ends with `null` where `budget` is used up
 */
export function* hostsIn(received: string, budget: ReadingBudget): Generator<WrittenHost | null, void, undefined> {
  const whole = received.replace(GAPS, '');
  for (const text of whole === received ? [whole] : [whole, received]) {
    for (const [, word, port = null] of text.matchAll(WORDS)) {
      if (port === null && !HOST_BY_FORM.test(word!)) continue;
      if (isTooLong(word!)) continue;
      if (PLAIN_HOST.test(word!) && !/xn--/i.test(word!)) {
        if (word!.length > MOST_HOST) continue;
        yield budget.take(word!.length) ? { host: word!.toLowerCase(), port } : null;
        if (budget.over) return;
        continue;
      }
      for (const written of /[ßς]/u.test(word!) ? [word!, word!.replace(/ß/gu, 'ss').replace(/ς/gu, 'σ')] : [word!]) {
        if (!budget.take(written.length + TO_PARSE)) {
          yield null;
          return;
        }
        const parsed = normalHost(parseUrl(`http://${written}/`)?.hostname ?? '');
        // Other clients look up an ASCII name that the URL standard refuses.
        const host = parsed ?? (ASCII_NAME.test(written) ? written.toLowerCase() : null);
        if (host !== null) yield { host, port };
      }
    }
  }
}
