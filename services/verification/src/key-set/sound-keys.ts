import type { SigningKeyFacts } from '@countersign/contracts';
import { fromHex, keyId } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';

export interface KeptKey {
  readonly id: string;
  readonly facts: SigningKeyFacts;
}

/**
 * The raw public key that is kept as `id`; `null` where what is kept is none.
 * @throws Error where it is another one than the id is the hash of: nobody is handed that
 */
export function publicKeyOf({ id, facts }: KeptKey): Uint8Array | null {
  const publicKey = fromHex(facts.publicKeyHex);
  if (publicKey !== null && keyId(publicKey, nodeCrypto.sha256) !== id) {
    throw new Error(`what is stored as ${id} is another key`);
  }
  return publicKey;
}

/**
 * Keys that may be handed out and verified with. Each other row is withheld, and the rest stays what it is.
 * @param withhold is told why, once for each
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
