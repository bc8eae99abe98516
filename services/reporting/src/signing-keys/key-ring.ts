import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SigningKeyFacts, VersionedRecord } from '@countersign/contracts';
import { keyId as keyIdOf, toHex, type EvidenceCrypto } from '@countersign/evidence';
import type { NewRecord } from '@countersign/event-log';
import { writeFileWhole } from '@countersign/service-kit';

/** Signs packages. `keyId` and `publicKey` are what verifiers look up. */
export interface Signer {
  readonly keyId: string;
  /** Raw Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 64 bytes over `message` (RFC 8032). */
  sign(message: Uint8Array): Uint8Array;
}

interface KeyFile {
  readonly version: number;
  readonly privateKeyPem: string;
  readonly validFrom: string;
}

/**
 * The signing key of this instance, in `<directory>/<key id>.json` (mode 0600). Makes one at the first start.
 * Throws where a file is damaged, naming it; never overwrites one.
 */
export async function openKeyRing(directory: string, nowIso: string, crypto: EvidenceCrypto): Promise<KeyRing> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
  const keys = await Promise.all(names.map((name) => readKey(join(directory, name), name, crypto)));
  if (keys.length === 0) keys.push(await createKey(directory, nowIso, crypto));
  return new KeyRing(keys);
}

interface HeldKey {
  readonly signer: Signer;
  readonly file: KeyFile;
}

export class KeyRing {
  readonly #keys: readonly HeldKey[];
  constructor(keys: readonly HeldKey[]) {
    this.#keys = keys;
  }

  /** The key that signs now: the one that became valid last. */
  active(): Signer {
    const newest = this.#keys.toSorted((a, b) => (a.file.validFrom < b.file.validFrom ? 1 : -1))[0];
    if (newest === undefined) throw new Error('no signing key');
    return newest.signer;
  }

  /** Public facts for the topic `signing-keys`. */
  records(): readonly NewRecord[] {
    const active = this.active().keyId;
    return this.#keys.map(({ signer, file }) => {
      const value: SigningKeyFacts = {
        publicKeyHex: toHex(signer.publicKey),
        status: signer.keyId === active ? 'active' : 'retired',
        validFrom: file.validFrom,
        validTo: null,
      };
      const record: VersionedRecord<SigningKeyFacts> = { v: 1, id: signer.keyId, version: file.version, value };
      return { topic: 'signing-keys', key: signer.keyId, value: JSON.stringify(record) };
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
    throw new Error(`signing key ${path} is damaged`, { cause });
  }
}

async function createKey(directory: string, nowIso: string, crypto: EvidenceCrypto): Promise<HeldKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const signer = signerOf(privateKey, crypto);
  const file: KeyFile = {
    version: 1,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    validFrom: nowIso,
  };
  // Durable before anything is signed: a key that a power loss takes leaves signatures that nobody can renew.
  await writeFileWhole(join(directory, `${signer.keyId}.json`), JSON.stringify(file), 0o600);
  return { signer, file };
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
