import type { Ed25519Verify } from '../crypto.js';
import { fromHex } from '../encoding/hex.js';

/** Little-endian numbers as 32 bytes; compared from the last byte on. */
const P = fromHex('edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f')!;
const L = fromHex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010')!;

/** y of the eight points whose order divides 8; each y is that of x and of -x. */
const SMALL_ORDER_Y: readonly Uint8Array[] = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
].map((hex) => fromHex(hex)!);

/** Reason to refuse a key or a signature before any computation. */
export type Ed25519Refusal = 'key-length' | 'signature-length' | 'key-encoding' | 'r-encoding' | 's-range';

/**
 * The refusals of RFC 8032 section 5.1.7 on which implementations differ, and small-order points, which verify
 * arbitrary messages. `null`: nothing is doubtful, so that all verifiers agree.
 */
export function refuseEd25519(publicKey: Uint8Array, signature: Uint8Array): Ed25519Refusal | null {
  if (publicKey.length !== 32) return 'key-length';
  if (signature.length !== 64) return 'signature-length';
  if (!isSoundPoint(publicKey)) return 'key-encoding';
  if (!isSoundPoint(signature.subarray(0, 32))) return 'r-encoding';
  return isBelow(signature.subarray(32), L) ? null : 's-range';
}

/** Ed25519 guarded by {@link refuseEd25519}: every implementation of `verify` gives the same answer. */
export function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
  verify: Ed25519Verify,
): boolean {
  return refuseEd25519(publicKey, signature) === null && verify(publicKey, message, signature);
}

/** A reduced y that is not one of small order. Whether a point has this y is left to the verifier. */
function isSoundPoint(encoded: Uint8Array): boolean {
  // Copies also a Node Buffer, whose own slice shares memory.
  const y = new Uint8Array(encoded);
  y[31] = y[31]! & 0x7f;
  return isBelow(y, P) && !SMALL_ORDER_Y.some((small) => !isBelow(y, small) && !isBelow(small, y));
}

function isBelow(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 31; i >= 0; i -= 1) {
    if (a[i] !== b[i]) return a[i]! < b[i]!;
  }
  return false;
}
