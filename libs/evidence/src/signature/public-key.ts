import type { Sha256 } from '../crypto.js';
import { fromBase64, toBase64 } from '../encoding/base64.js';
import { fromHex, sameBytes, toHex } from '../encoding/hex.js';

/** DER of SubjectPublicKeyInfo up to the key itself (RFC 8410 section 4). */
const SPKI_PREFIX = fromHex('302a300506032b6570032100')!;
const PEM = /^[\t\n\r ]*-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/=\r\n]+?)\r?\n-----END PUBLIC KEY-----[\t\n\r ]*$/;
const KEY_ID = /^key_[0-9a-f]{16}$/;

/** `key_` and the first 16 hex digits of SHA-256 of the raw public key. */
export function keyId(publicKey: Uint8Array, sha256: Sha256): string {
  return `key_${toHex(sha256(publicKey)).slice(0, 16)}`;
}

export function isKeyId(value: unknown): value is string {
  return typeof value === 'string' && KEY_ID.test(value);
}

/** SubjectPublicKeyInfo in PEM of a raw key of 32 bytes, with a line feed at the end. */
export function publicKeyToPem(publicKey: Uint8Array): string {
  if (publicKey.length !== 32) throw new RangeError('an Ed25519 public key has 32 bytes');
  const der = new Uint8Array(SPKI_PREFIX.length + 32);
  der.set(SPKI_PREFIX);
  der.set(publicKey, SPKI_PREFIX.length);
  return `-----BEGIN PUBLIC KEY-----\n${toBase64(der)}\n-----END PUBLIC KEY-----\n`;
}

/** The raw 32 bytes of an Ed25519 key in PEM; `null` for anything else. */
export function publicKeyFromPem(pem: string): Uint8Array | null {
  const body = PEM.exec(pem)?.[1]?.replace(/[\r\n]/g, '');
  const der = body === undefined ? null : fromBase64(body);
  if (der === null || der.length !== SPKI_PREFIX.length + 32) return null;
  if (!sameBytes(der.subarray(0, SPKI_PREFIX.length), SPKI_PREFIX)) return null;
  return der.slice(SPKI_PREFIX.length);
}
