/** Blanks of all scripts, controls and zero-width characters, which clients, or programs before them, remove. */
const BLANK = '\\0-\\x20\\x7f-\\xa0\\xad\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff';
/** Characters that the URL standard and Python's urllib remove anywhere in a URL. */
const GAP = '[\\t\\n\\r]*';
const gapped = (word: string): string => [...word, ''].join(GAP);
/**
 * Wrapping that urllib removes from a URL (RFC 3986, appendix C): `<https://…>`, `URL:https://…`, `<URL:https://…>`.
 */
const WRAPPER = new RegExp(`^[${BLANK}<]*(?:${gapped('URL:')}[${BLANK}<]*)*`, 'i');
const SCHEMES = ['https', 'http', 'wss', 'ws', 'ftp'].map((scheme) => gapped(`${scheme}:`)).join('|');
/** Web schemes, which the URL standard also reads without slashes. A blank after the colon leads nowhere. */
const WEB = new RegExp(`^(?:${SCHEMES})[^\\0-\\x20]`, 'i');
const WITH_AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]{2}[^\s/\\]/i;
/** Most addresses: not wrapped. */
const AS_IT_STANDS = /^https?:\/\/[a-z0-9]/;
const LAST_WRAPPER = new RegExp(`[${BLANK}>]`);

/**
 * The address that a text begins with, as clients and libraries read it: of the schemes `http`, `https`, `ws`, `wss`
 * and `ftp`, after blanks of any script, `<` and `URL:`, with line breaks and tabs anywhere.
 * @returns the address with all that follows it, unwrapped; `null` where there is none
 */
export function writtenAddress(text: string): string | null {
  if (!mayBegin(text.charCodeAt(0))) return null;
  if (AS_IT_STANDS.test(text)) return text;
  const address = unwrapped(text);
  return WEB.test(address) ? address : null;
}

/**
 * Reports whether a text is an address of any scheme with an authority, or of none (`//host/x`), or one of
 * {@link writtenAddress}.
 */
export function isAddress(text: string): boolean {
  return writtenAddress(text) !== null || WITH_AUTHORITY.test(unwrapped(text).replace(/[\t\n\r]/g, ''));
}

/** Without the match of {@link WRAPPER} before it, and where that has a `<`, without `>` and blanks after it. */
function unwrapped(text: string): string {
  const wrapper = WRAPPER.exec(text)![0];
  let to = text.length;
  if (wrapper.includes('<')) while (to > wrapper.length && LAST_WRAPPER.test(text[to - 1]!)) to -= 1;
  return wrapper.length === 0 ? text : text.slice(wrapper.length, to);
}

/** First letters of a scheme or `URL:`, `<`, and possible blanks: nearly all texts begin differently. */
function mayBegin(code: number): boolean {
  if (code <= 0x20 || code >= 0x7f || code === 0x3c) return true;
  const letter = code | 0x20;
  return letter === 0x68 || letter === 0x77 || letter === 0x66 || letter === 0x75;
}
