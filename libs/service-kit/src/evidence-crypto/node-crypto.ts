import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { EvidenceCrypto } from '@countersign/evidence';

/** What `evidence` needs, by `node:crypto`. `evidence` itself refuses doubtful encodings before it asks. */
export const nodeCrypto: EvidenceCrypto = {
  sha256: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  ed25519Verify: (publicKey, message, signature) => {
    try {
      return verify(null, message, keyObject(publicKey), signature);
    } catch {
      return false;
    }
  },
};

function keyObject(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
