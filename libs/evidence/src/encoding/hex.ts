const BYTE_TO_HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let hex = '';
  for (let i = 0; i < bytes.length; i += 1) hex += BYTE_TO_HEX[bytes[i]!]!;
  return hex;
}

/** Value of each hex digit by character code; 255 for everything else, upper case included. */
const DIGIT = new Uint8Array(128).fill(255);
for (let value = 0; value < 16; value += 1) DIGIT[value.toString(16).charCodeAt(0)] = value;

/** Bytes of lower-case hex, or `null` for anything else. */
export function fromHex(hex: string): Uint8Array | null {
  if (hex.length % 2 !== 0) return null;
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i += 1) {
    const high = DIGIT[hex.charCodeAt(2 * i)] ?? 255;
    const low = DIGIT[hex.charCodeAt(2 * i + 1)] ?? 255;
    if (high > 15 || low > 15) return null;
    bytes[i] = high * 16 + low;
  }
  return bytes;
}

const HASH = /^[0-9a-f]{64}$/;

/** Reports whether `value` is 32 bytes in lower-case hex. */
export function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value);
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
