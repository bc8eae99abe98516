/**
 * As the URL standard (WHATWG) parses it; `null` for what does not parse. `URL.canParse` cannot be used: once its
 * caller is compiled (a few thousand calls), that of Node 20 and 22 refuses text with a character from U+0080 to
 * U+00FF.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
