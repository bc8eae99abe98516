import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { encodeBase58, type MemoSigner } from '@countersign/chain';
import { createFileOnce, readIfPresent } from '@countersign/process';

export type AuthorityKey = Extract<MemoSigner, { readonly secretKey: Uint8Array }>;

/** The authority's key cannot be used as it is stored. */
export class AuthorityKeyDamaged extends Error {
  override readonly name = 'AuthorityKeyDamaged';
}

/** An authority is published whose key is not here: another must not take its place. */
export class AuthorityKeyMissing extends Error {
  override readonly name = 'AuthorityKeyMissing';
}

/** RFC 8410: what stands before the 32 bytes of an Ed25519 seed in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The key that signs and pays for anchors: a JSON array of 64 bytes (seed, public key), the form of Solana's own tools,
 * mode 0600. Made at the first start; later starts use what is there.
 * @param published asked where there is no file: the address that is published, `null` where none is
 * @throws AuthorityKeyDamaged naming the file, which is left as it is; AuthorityKeyMissing where an authority is published and
 *   its file is gone: none is made
 */
export async function authorityKey(directory: string, published: () => Promise<string | null>): Promise<AuthorityKey> {
  const file = join(directory, 'authority.json');
  const address = (await readIfPresent(file)) === null ? await published() : null;
  if (address !== null) {
    throw new AuthorityKeyMissing(
      `anchors are signed by ${address}, and its key ${file} is missing: put it back from the backup, or, where another ` +
        'instance of anchoring has it, give all of them the same file',
    );
  }
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
