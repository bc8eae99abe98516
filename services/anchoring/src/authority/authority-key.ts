import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { encodeBase58, type MemoSigner } from '@countersign/chain';
import { createFileOnce } from '@countersign/service-kit';

export type AuthorityKey = Extract<MemoSigner, { readonly secretKey: Uint8Array }>;

/** The authority's key cannot be used as it is stored. */
export class AuthorityKeyDamaged extends Error {
  override readonly name = 'AuthorityKeyDamaged';
}

/** RFC 8410: what stands before the 32 bytes of an Ed25519 seed in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The key that signs and pays for anchors: a JSON array of 64 bytes (seed, public key), the form of Solana's own tools,
 * mode 0600. Made at the first start; later starts use what is there.
 * @throws AuthorityKeyDamaged naming the file, which is left as it is
 */
export async function authorityKey(directory: string): Promise<AuthorityKey> {
  const file = join(directory, 'authority.json');
  const text = await createFileOnce(file, () => Buffer.from(`${JSON.stringify([...newKeypair()])}\n`), 0o600);
  return parse(Buffer.from(text).toString('utf8'), file);
}

function parse(text: string, file: string): AuthorityKey {
  const damaged = new AuthorityKeyDamaged(`${file} is not a keypair of 64 bytes: restore it from a backup`);
  let numbers: unknown;
  try {
    numbers = JSON.parse(text);
  } catch {
    throw damaged;
  }
  const isByte = (n: unknown): n is number => typeof n === 'number' && Number.isInteger(n) && n >= 0 && n < 256;
  if (!Array.isArray(numbers) || numbers.length !== 64 || !numbers.every(isByte)) throw damaged;
  const secretKey = Uint8Array.from(numbers);
  if (!Buffer.from(publicHalf(secretKey.subarray(0, 32))).equals(secretKey.subarray(32))) throw damaged;
  return { publicKey: encodeBase58(secretKey.subarray(32)), secretKey };
}

function publicHalf(seed: Uint8Array): Uint8Array {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  return Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url');
}

function newKeypair(): Uint8Array {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return new Uint8Array(Buffer.concat([Buffer.from(d!, 'base64url'), Buffer.from(x!, 'base64url')]));
}
