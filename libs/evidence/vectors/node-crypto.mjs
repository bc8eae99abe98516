import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** The platform's cryptography, from Node. */
export const nodeCrypto = {
  sha256: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  ed25519Verify: (publicKey, message, signature) => {
    const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
    return verify(null, message, key, signature);
  },
};

/** A key pair derived from a seed of 32 bytes: the same on every run. */
export function seededKey(seed) {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return {
    publicKey: new Uint8Array(spki.subarray(SPKI_PREFIX.length)),
    sign: (bytes) => new Uint8Array(sign(null, bytes, privateKey)),
  };
}
