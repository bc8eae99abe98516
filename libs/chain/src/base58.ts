const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]));
const LONGEST_TEXT = 2048;

/** Bytes in the base58 of Bitcoin and Solana. */
export function encodeBase58(bytes: Uint8Array): string {
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let i = 0; i < digits.length; i++) {
      carry += (digits[i] as number) << 8;
      digits[i] = carry % 58;
      carry = (carry / 58) | 0;
    }
    for (; carry > 0; carry = (carry / 58) | 0) digits.push(carry % 58);
  }
  let text = '';
  for (let i = 0; i < bytes.length && bytes[i] === 0; i++) text += '1';
  for (let i = digits.length - 1; i >= 0; i--) text += ALPHABET.charAt(digits[i] as number);
  return text;
}

/**
 * The bytes of a base58 text, or `null` when a character is not in its alphabet or the text is longer than 2048
 * characters.
 */
export function decodeBase58(text: string): Uint8Array | null {
  if (text.length > LONGEST_TEXT) return null;
  const bytes: number[] = [];
  for (const character of text) {
    let carry = VALUES.get(character) ?? -1;
    if (carry < 0) return null;
    for (let i = 0; i < bytes.length; i++) {
      carry += (bytes[i] as number) * 58;
      bytes[i] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  for (let i = 0; i < text.length && text[i] === '1'; i++) bytes.push(0);
  return Uint8Array.from(bytes.reverse());
}

/** Reports whether the text is base58 of exactly `length` bytes: 32 for an address or blockhash, 64 for a signature. */
export function isBase58Of(text: string, length: 32 | 64): boolean {
  return text.length <= length * 2 && decodeBase58(text)?.length === length;
}
