import type { Sha256 } from '../crypto.js';

/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32;

/** RFC 6962 section 2.1: `SHA-256(0x00 || bytes)`. */
export function leafHash(bytes: Uint8Array, sha256: Sha256): Uint8Array {
  const input = new Uint8Array(bytes.length + 1);
  input.set(bytes, 1);
  return sha256(input);
}

/** RFC 6962 section 2.1: `SHA-256(0x01 || left || right)`. */
export function nodeHash(left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array {
  const input = new Uint8Array(1 + 2 * HASH_BYTES);
  input[0] = 1;
  input.set(left, 1);
  input.set(right, 1 + HASH_BYTES);
  return sha256(input);
}
