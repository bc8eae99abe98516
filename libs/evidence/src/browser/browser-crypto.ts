import { sha256 } from '@noble/hashes/sha2.js';
import nacl from 'tweetnacl';
import type { EvidenceCrypto } from '../crypto.js';

/**
 * {@link EvidenceCrypto} in plain JavaScript. `tweetnacl` compares R as it is encoded, without the cofactor, as
 * `node:crypto` does: of two verifiers none accepts what the other refuses (decision 0037).
 */
export const browserCrypto: EvidenceCrypto = {
  sha256: (bytes) => sha256(bytes),
  ed25519Verify(publicKey, message, signature) {
    if (publicKey.length !== 32 || signature.length !== 64) return false;
    return nacl.sign.detached.verify(message, signature, publicKey);
  },
};
