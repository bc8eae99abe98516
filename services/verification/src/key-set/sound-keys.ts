import type { SigningKeyFacts } from '@countersign/contracts';
import { fromHex, keyId } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';

export interface KeptKey {
  readonly id: string;
  readonly facts: SigningKeyFacts;
}

/**
 * The raw public key stored as `id`; `null` where the stored value is not a key.
 * @throws Error where the id is not the hash of the key, which is then not given out
 */
export function publicKeyOf({ id, facts }: KeptKey): Uint8Array | null {
  const publicKey = fromHex(facts.publicKeyHex);
  if (publicKey !== null && keyId(publicKey, nodeCrypto.sha256) !== id) {
    throw new Error(`what is stored as ${id} is another key`);
  }
  return publicKey;
}

/**
 * Keys that may be given out and verified with. Any other stored key is left out.
 * @param withhold called with the reason, once for each key that is left out
 */
export function soundKeys(kept: readonly KeptKey[], withhold: (why: Error) => void): readonly KeptKey[] {
  return kept.filter((key) => {
    try {
      if (publicKeyOf(key) === null) throw new Error(`what is stored as ${key.id} is no key`);
      return true;
    } catch (error) {
      withhold(error as Error);
      return false;
    }
  });
}
