import { createHash, createPublicKey, verify } from 'node:crypto';
import type { EvidenceCrypto } from '@countersign/evidence';

/** SubjectPublicKeyInfo of Ed25519 (RFC 8410 section 4) up to the 32 bytes of the key. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Cryptography for `evidence` in a process that loads nothing else: `libs/process`, which has the same, would take most of its
 * start time and memory.
 */
export const evidenceCrypto: EvidenceCrypto = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
  ed25519Verify(publicKey, message, signature) {
    try {
      const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, publicKey]), format: 'der', type: 'spki' });
      return verify(null, message, key, signature);
    } catch {
      return false;
    }
  },
};
