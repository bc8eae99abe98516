import { ed25519 } from '@noble/curves/ed25519';
import { decodeBase58 } from './base58.js';

/**
 * Reports whether a key can exist for this address: base58 of a point of Ed25519 in its one canonical encoding (RFC
 * 8032 section 5.1.3) that is not of small order. Addresses that programs derive are off the curve.
 */
export function isWalletAddress(address: string): boolean {
  const bytes = address.length > 64 ? null : decodeBase58(address);
  if (bytes?.length !== 32) return false;
  try {
    return !ed25519.Point.fromBytes(bytes).isSmallOrder();
  } catch {
    return false;
  }
}
