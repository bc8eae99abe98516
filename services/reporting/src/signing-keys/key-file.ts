import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { fromHex, keyId as keyIdOf, toHex, type EvidenceCrypto } from '@countersign/evidence';
import type { Passphrase } from './passphrase.js';
import type { Signer } from './signer.js';

/** A key that signed, or may have, is missing: another one must not replace it unnoticed. */
export class SigningKeyMissing extends Error {
  override readonly name = 'SigningKeyMissing';
  constructor(keyId: string, directory: string) {
    super(
      `the signing key ${keyId} is in use, but its file ${directory}/${keyId}.json is missing: ` +
        'put it back from the backup, or, where another instance of reporting has it, give all of them the same folder; ' +
        'where it is lost for good, `countersign admin keys rotate` or `revoke` does without it',
    );
  }
}

/** The file exists and is not the key that its name says. */
export class SigningKeyDamaged extends Error {
  override readonly name: string = 'SigningKeyDamaged';
}

/** The file is encrypted, and the configured passphrase does not open it. */
export class SigningKeyLocked extends Error {
  override readonly name = 'SigningKeyLocked';
}

/** Content of `<key id>.json`. */
export interface KeyFile {
  /** 1: only a plain private key; 2: with its public half. */
  readonly version: number;
  /** PKCS#8: `PRIVATE KEY`, or `ENCRYPTED PRIVATE KEY` (PBES2), as `openssl pkey` reads it. */
  readonly privateKeyPem: string;
  /** Raw, 32 bytes: identifies the key without opening its private half. */
  readonly publicKeyHex?: string;
  readonly validFrom: string;
}

export interface NewKey {
  readonly publicKey: Uint8Array;
  readonly file: KeyFile;
}

export function generateKey(validFrom: string, passphrase: Passphrase | null): NewKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = publicKeyOf(privateKey);
  const privateKeyPem = pemOf(privateKey, passphrase);
  return { publicKey, file: { version: 2, privateKeyPem, publicKeyHex: toHex(publicKey), validFrom } };
}

export function isEncrypted({ privateKeyPem }: KeyFile): boolean {
  return privateKeyPem.startsWith('-----BEGIN ENCRYPTED PRIVATE KEY-----');
}

/** @throws Error if it is not the file of a key */
export function parseKeyFile(text: string): KeyFile {
  const file = JSON.parse(text) as KeyFile;
  const isOne = [file.privateKeyPem, file.validFrom].every((member) => typeof member === 'string');
  if (typeof file.version !== 'number' || !isOne) throw new Error('not the file of a signing key');
  return file;
}

/**
 * The public half, also of an encrypted file without its passphrase.
 * @throws Error if the file has none
 */
export function publicKeyIn(file: KeyFile): Uint8Array {
  if (!isEncrypted(file)) return publicKeyOf(createPrivateKey(file.privateKeyPem));
  const publicKey = fromHex(file.publicKeyHex ?? '');
  if (publicKey?.length !== 32) throw new Error('an encrypted key without its public half');
  return publicKey;
}

/**
 * Returns a signer with the private key of the file.
 * @param path names the file in errors
 * @throws SigningKeyLocked naming the setting that would open it; SigningKeyDamaged if it opens and is another key
 */
export function signerIn(file: KeyFile, path: string, passphrase: Passphrase | null, crypto: EvidenceCrypto): Signer {
  const privateKey = privateKeyIn(file, path, passphrase);
  const publicKey = publicKeyOf(privateKey);
  if (file.publicKeyHex !== undefined && file.publicKeyHex !== toHex(publicKey)) {
    throw new SigningKeyDamaged(`the signing key ${path} is damaged: its halves are not of one key`);
  }
  return {
    publicKey,
    keyId: keyIdOf(publicKey, crypto.sha256),
    sign: (message) => Promise.resolve(new Uint8Array(sign(null, message, privateKey))),
  };
}

/** The same key encrypted by the passphrase, and read back. */
export function encrypted(file: KeyFile, path: string, passphrase: Passphrase): KeyFile {
  const privateKey = privateKeyIn(file, path, null);
  const privateKeyPem = pemOf(privateKey, passphrase);
  const again = { ...file, version: 2, privateKeyPem, publicKeyHex: toHex(publicKeyOf(privateKey)) };
  if (!privateKeyIn(again, path, passphrase).equals(privateKey)) throw new Error('it was not encrypted as it is');
  return again;
}

function privateKeyIn(file: KeyFile, path: string, passphrase: Passphrase | null): KeyObject {
  if (!isEncrypted(file)) return createPrivateKey(file.privateKeyPem);
  if (passphrase === null) {
    throw new SigningKeyLocked(`the signing key ${path} is encrypted: set COUNTERSIGN_SIGNING_PASSPHRASE_FILE`);
  }
  try {
    return createPrivateKey({ key: file.privateKeyPem, passphrase: passphrase.text });
  } catch {
    // OpenSSL reports a wrong passphrase like damage.
    throw new SigningKeyLocked(
      `${passphrase.setting} does not open the signing key ${path}: it is another passphrase, or the file is damaged`,
    );
  }
}

function pemOf(privateKey: KeyObject, passphrase: Passphrase | null): string {
  const form = { type: 'pkcs8', format: 'pem' } as const;
  if (passphrase === null) return privateKey.export(form).toString();
  return privateKey.export({ ...form, cipher: 'aes-256-cbc', passphrase: passphrase.text }).toString();
}

function publicKeyOf(privateKey: KeyObject): Uint8Array {
  const jwk = privateKey.export({ format: 'jwk' });
  if (jwk.crv !== 'Ed25519' || jwk.x === undefined) throw new Error('not an Ed25519 key');
  return new Uint8Array(Buffer.from(jwk.x, 'base64url'));
}
