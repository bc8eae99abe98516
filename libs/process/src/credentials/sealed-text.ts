import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keys of one purpose, 32 bytes each. `previous`: of the instance secret that is being replaced; `null`: none is. */
export interface SealingKeys {
  readonly present: Uint8Array;
  readonly previous: Uint8Array | null;
}

/**
 * Seals a text: AES-256-GCM, nonce and tag before the ciphertext, base64. `owner` is authenticated with it, so that a sealed
 * text opens only for its owner.
 * @param key 32 bytes
 */
export function seal(text: string, key: Uint8Array, owner: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** @throws if it was sealed with another key, for another owner, or altered */
export function unseal(sealed: string, key: Uint8Array, owner: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

/**
 * The text, sealed under the present key instead of the previous one.
 * @returns `null` where it opens by the present key already
 * @throws if it opens by neither
 */
export function resealed(sealed: string, { present, previous }: SealingKeys, owner: string): string | null {
  try {
    unseal(sealed, present, owner);
    return null;
  } catch (error) {
    if (previous === null) throw error;
    return seal(unseal(sealed, previous, owner), present, owner);
  }
}
