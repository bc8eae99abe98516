const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** RFC 4648 section 4, with padding. */
export function toBase64(bytes: Uint8Array): string {
  const text = encode(bytes, STANDARD);
  return text + '='.repeat((4 - (text.length % 4)) % 4);
}

/** RFC 4648 section 5, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return encode(bytes, URL_SAFE);
}

/** Bytes of canonical base64: full padding, unused bits zero, no white space. `null` for anything else. */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return decode(text.slice(0, text.length - padding), STANDARD, padding === 0 ? [0] : [4 - padding]);
}

/** Bytes of canonical base64url without padding. `null` for anything else. */
export function fromBase64Url(text: string): Uint8Array | null {
  return decode(text, URL_SAFE, [0, 2, 3]);
}

/** Reports whether `text` is the one base64 form of its bytes. */
export function isCanonicalBase64(text: string): boolean {
  return fromBase64(text) !== null;
}

const SALT = /^[A-Za-z0-9_-]{21}[AQgw]$/;

/** Reports whether `value` is a salt: 16 bytes in canonical base64url without padding. */
export function isSalt(value: unknown): value is string {
  return typeof value === 'string' && SALT.test(value);
}

function encode(bytes: Uint8Array, alphabet: string): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += alphabet[(held >> bits) & 63]!;
    }
  }
  if (bits > 0) text += alphabet[(held << (6 - bits)) & 63]!;
  return text;
}

function decode(text: string, alphabet: string, lastGroup: readonly number[]): Uint8Array | null {
  if (!lastGroup.includes(text.length % 4)) return null;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let held = 0;
  let bits = 0;
  let at = 0;
  for (const character of text) {
    const value = alphabet.indexOf(character);
    if (value < 0) return null;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at] = (held >> bits) & 255;
      at += 1;
    }
  }
  return (held & ((1 << bits) - 1)) === 0 ? bytes : null;
}
