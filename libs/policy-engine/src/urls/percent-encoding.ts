const ENCODED = /%[0-9A-Fa-f]{2}/;
/** By byte. */
const ENCODINGS = Array.from({ length: 256 }, (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);
const UNRESERVED = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[A-Za-z0-9._~-]/.test(String.fromCharCode(byte))),
);

/** Reports whether there is anything to decode. */
export function isEncoded(text: string): boolean {
  return ENCODED.test(text);
}

/** RFC 3986 section 6.2.2: letters, digits and `-._~` are the same, encoded or not; hex digits in upper case. */
export function decodeUnreserved(path: string): string {
  return recode(path, isUnreserved);
}

/** One byte, one character: no encoding can make it fail. */
export function decodeOnce(path: string): string {
  return recode(path, () => true);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const PERCENT = 0x25;

/** Encoded bytes as UTF-8; invalid ones become U+FFFD. */
export function decodeUtf8Once(text: string): string {
  if (!isEncoded(text)) return text;
  const bytes = encoder.encode(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const high = bytes[at] === PERCENT ? hexValue(bytes[at + 1] ?? 0) : -1;
    const low = high < 0 ? -1 : hexValue(bytes[at + 2] ?? 0);
    bytes[length] = low < 0 ? bytes[at]! : high * 16 + low;
    length += 1;
    if (low >= 0) at += 2;
  }
  return decoder.decode(bytes.subarray(0, length));
}

/**
 * Each `%XX` as its character where `decodes` says so, else with its digits in upper case. Written by hand: a pattern
 * with a function for each match takes a second for the longest URLs that are sent.
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

/** -1 for what is not a hex digit. */
function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x61 + 10 : -1;
}

function isUnreserved(byte: number): boolean {
  return UNRESERVED[byte] === 1;
}
