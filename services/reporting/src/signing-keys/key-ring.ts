import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SigningKeyFacts } from '@countersign/contracts';
import { keyId as keyIdOf, toHex, type EvidenceCrypto } from '@countersign/evidence';
import { createFileOnce, readIfPresent, syncFolder, writeFileWhole } from '@countersign/service-kit';

/** Signs packages. `keyId` and `publicKey` are what verifiers look up. */
export interface Signer {
  readonly keyId: string;
  /** Raw Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 64 bytes over `message` (RFC 8032). */
  sign(message: Uint8Array): Uint8Array;
}

/** A key that signed, or may have, cannot be found: another one must not take its place unnoticed. */
export class SigningKeyMissing extends Error {
  override readonly name = 'SigningKeyMissing';
  constructor(keyId: string, directory: string) {
    super(
      `the signing key ${keyId} is in use, but its file ${join(directory, `${keyId}.json`)} is missing: ` +
        'put it back from the backup, or, where another instance of reporting has it, give all of them the same folder',
    );
  }
}

/** The file is there and is not the key that its name says. */
export class SigningKeyDamaged extends Error {
  override readonly name = 'SigningKeyDamaged';
}

interface KeyFile {
  readonly version: number;
  readonly privateKeyPem: string;
  readonly validFrom: string;
}

/** Names the key that was made first: of several instances that start at once on one folder, one decides. */
const FIRST = 'first-key';

/**
 * The signing keys in `<directory>/<key id>.json` (mode 0600), shared by all instances that have this folder. Makes one
 * at the first start, one alone also where several instances start at once.
 * Throws where a file is damaged or gone, naming it; never overwrites one.
 * @param inUse keys that are published as in use: where there are any, none is made in the place of their files
 */
export async function openKeyRing(
  directory: string,
  nowIso: string,
  crypto: EvidenceCrypto,
  inUse: readonly string[] = [],
): Promise<KeyRing> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if ((await keyFiles(directory)).length === 0 && !(await finishFirst(directory))) {
    if (inUse[0] !== undefined) throw new SigningKeyMissing(inUse[0], directory);
    await makeFirst(directory, nowIso, crypto);
  }
  const names = await keyFiles(directory);
  return new KeyRing(directory, await Promise.all(names.map((name) => readKey(join(directory, name), name, crypto))));
}

async function keyFiles(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
}

interface HeldKey {
  readonly signer: Signer;
  readonly file: KeyFile;
}

export class KeyRing {
  readonly #keys: readonly HeldKey[];
  constructor(
    readonly directory: string,
    keys: readonly HeldKey[],
  ) {
    this.#keys = keys;
  }

  has(keyId: string): boolean {
    return this.#keys.some(({ signer }) => signer.keyId === keyId);
  }

  /** The key that signs now: the one that became valid last. */
  active(): Signer {
    const newest = this.#keys.toSorted((a, b) => (a.file.validFrom < b.file.validFrom ? 1 : -1))[0];
    if (newest === undefined) throw new Error('no signing key');
    return newest.signer;
  }

  /** What the topic `signing-keys` must say of them. */
  facts(): readonly { readonly id: string; readonly value: SigningKeyFacts }[] {
    const active = this.active().keyId;
    return this.#keys.map(({ signer: { keyId, publicKey }, file: { validFrom } }) => {
      const status = keyId === active ? 'active' : 'retired';
      return { id: keyId, value: { publicKeyHex: toHex(publicKey), status, validFrom, validTo: null } };
    });
  }
}

async function readKey(path: string, name: string, crypto: EvidenceCrypto): Promise<HeldKey> {
  try {
    const file = JSON.parse(await readFile(path, 'utf8')) as KeyFile;
    const signer = signerOf(createPrivateKey(file.privateKeyPem), crypto);
    if (`${signer.keyId}.json` !== name || typeof file.version !== 'number')
      throw new Error('the name is another key’s');
    return { signer, file };
  } catch (cause) {
    throw new SigningKeyDamaged(`the signing key ${path} is damaged: put it back from the backup`, { cause });
  }
}

/**
 * Each instance makes a key of its own beside the others', and the first to name its key decides: that one is put into
 * its place, by whoever comes to it, and those of the others go. A crash leaves no more than the next start finishes.
 */
async function makeFirst(directory: string, nowIso: string, crypto: EvidenceCrypto): Promise<void> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { keyId } = signerOf(privateKey, crypto);
  const file: KeyFile = {
    version: 1,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    validFrom: nowIso,
  };
  // Durable before anything is signed: a key that a power loss takes leaves signatures that nobody can renew.
  await writeFileWhole(candidate(directory, keyId), JSON.stringify(file), 0o600);
  await createFileOnce(join(directory, FIRST), () => Buffer.from(keyId), 0o600);
  await finishFirst(directory);
}

function candidate(directory: string, keyId: string): string {
  return join(directory, `${keyId}.candidate`);
}

/**
 * Puts the key that was named first into its place, durably. `false`: none is named.
 * @throws SigningKeyMissing where its file is nowhere
 */
async function finishFirst(directory: string): Promise<boolean> {
  const named = await readIfPresent(join(directory, FIRST));
  if (named === null) return false;
  const first = Buffer.from(named).toString('utf8');
  const place = join(directory, `${first}.json`);
  await rename(candidate(directory, first), place).catch(ignoringAbsence);
  await syncFolder(directory);
  if ((await readIfPresent(place)) === null) throw new SigningKeyMissing(first, directory);
  const left = (await readdir(directory)).filter((name) => name.endsWith('.candidate'));
  await Promise.all(left.map((name) => rm(join(directory, name), { force: true })));
  return true;
}

function ignoringAbsence(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

function signerOf(privateKey: KeyObject, crypto: EvidenceCrypto): Signer {
  const jwk = privateKey.export({ format: 'jwk' });
  if (jwk.crv !== 'Ed25519' || jwk.x === undefined) throw new Error('not an Ed25519 key');
  const publicKey = new Uint8Array(Buffer.from(jwk.x, 'base64url'));
  return {
    publicKey,
    keyId: keyIdOf(publicKey, crypto.sha256),
    sign: (message) => new Uint8Array(sign(null, message, privateKey)),
  };
}
