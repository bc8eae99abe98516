import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keyId as keyIdOf, toHex, type EvidenceCrypto } from '@countersign/evidence';
import { ConfigurationError, createFileOnce, readIfPresent, syncFolder, writeFileWhole } from '@countersign/process';
import {
  encrypted,
  generateKey,
  isEncrypted,
  parseKeyFile,
  publicKeyIn,
  SigningKeyDamaged,
  SigningKeyMissing,
  signerIn,
  type KeyFile,
} from './key-file.js';
import { codeOf, type Passphrase } from './passphrase.js';
import type { KeyCustody, Signer } from './signer.js';

export interface HeldFile {
  readonly id: string;
  readonly publicKeyHex: string;
  readonly validFrom: string;
}

/** Names the first key: of several instances that start at once on one folder, one decides. */
const FIRST = 'first-key';

/**
 * Private keys as files, `<directory>/<key id>.json` with mode 0600, encrypted if there is a passphrase. Shared by all
 * instances that have the folder. The file of another key is never overwritten.
 */
export class KeyFolder implements KeyCustody {
  readonly #crypto: EvidenceCrypto;
  readonly #passphrase: Passphrase | null;
  readonly #validFrom: () => string;
  readonly #signers = new Map<string, Signer>();

  /** @param validFrom of new keys */
  constructor(
    readonly directory: string,
    passphrase: Passphrase | null,
    crypto: EvidenceCrypto,
    validFrom: () => string,
  ) {
    this.#passphrase = passphrase;
    this.#crypto = crypto;
    this.#validFrom = validFrom;
  }

  async create(): Promise<Uint8Array> {
    const { publicKey, file } = generateKey(this.#validFrom(), this.#passphrase);
    // Durable before it signs: a key lost to a power failure would leave signatures that cannot be renewed.
    await writeFileWhole(this.#pathOf(keyIdOf(publicKey, this.#crypto.sha256)), JSON.stringify(file), 0o600);
    return publicKey;
  }

  async signer(keyId: string): Promise<Signer> {
    const known = this.#signers.get(keyId);
    if (known !== undefined) return known;
    const file = await this.#read(keyId);
    if (file === null) throw new SigningKeyMissing(keyId, this.directory);
    const signer = signerIn(file, this.#pathOf(keyId), this.#passphrase, this.#crypto);
    this.#signers.set(keyId, signer);
    return signer;
  }

  /**
   * Every key in the folder, including encrypted ones.
   * @throws SigningKeyDamaged naming a file without a key, or with another one than its name says
   */
  async all(): Promise<readonly HeldFile[]> {
    const ids = await this.#ids();
    return Promise.all(
      ids.map(async (id) => {
        const file = await this.#read(id);
        if (file === null) throw new SigningKeyMissing(id, this.directory);
        return { id, publicKeyHex: toHex(publicKeyIn(file)), validFrom: file.validFrom };
      }),
    );
  }

  /**
   * Encrypts plain files if there is a passphrase and it opens the encrypted ones.
   * @returns ids of the keys that were encrypted
   * @throws SigningKeyLocked if it does not; ConfigurationError if a file cannot be replaced: nothing is lost then
   */
  async encryptAll(): Promise<readonly string[]> {
    const passphrase = this.#passphrase;
    if (passphrase === null) return [];
    const files = await Promise.all(
      (await this.#ids()).map(async (id) => ({ id, path: this.#pathOf(id), file: await this.#read(id) })),
    );
    const clear = files.filter(({ file }) => file !== null && !isEncrypted(file));
    if (clear.length === 0) return [];
    for (const { file, path } of files) if (file !== null) signerIn(file, path, passphrase, this.#crypto);
    for (const { file, path } of clear) {
      try {
        await writeFileWhole(path, JSON.stringify(encrypted(file!, path, passphrase)), 0o600);
      } catch (error) {
        throw new ConfigurationError([
          `${passphrase.setting} is set, and ${path} is in clear and cannot be replaced: ${codeOf(error)}`,
        ]);
      }
    }
    return clear.map(({ id }) => id);
  }

  /**
   * Creates the first key of a folder that has none. Each instance creates a candidate, and the first to
   * name its key decides: any instance moves that one to its final name and removes the others. A start finishes the
   * work of a crash.
   * @throws SigningKeyMissing if the key that was named first is missing
   */
  async makeFirst(): Promise<void> {
    if (await this.finishFirst()) return;
    const { publicKey, file } = generateKey(this.#validFrom(), this.#passphrase);
    const id = keyIdOf(publicKey, this.#crypto.sha256);
    await writeFileWhole(this.#candidate(id), JSON.stringify(file), 0o600);
    await createFileOnce(join(this.directory, FIRST), () => Buffer.from(id), 0o600);
    await this.finishFirst();
  }

  /**
   * Moves the key that was named first to its final name, durably. `false`: none is named.
   * @throws SigningKeyMissing if its file is missing
   */
  async finishFirst(): Promise<boolean> {
    const named = await readIfPresent(join(this.directory, FIRST));
    if (named === null) return false;
    const first = Buffer.from(named).toString('utf8');
    await rename(this.#candidate(first), this.#pathOf(first)).catch(ignoringAbsence);
    await syncFolder(this.directory);
    if ((await readIfPresent(this.#pathOf(first))) === null) throw new SigningKeyMissing(first, this.directory);
    const left = (await readdir(this.directory)).filter((name) => name.endsWith('.candidate'));
    await Promise.all(left.map((name) => rm(join(this.directory, name), { force: true })));
    return true;
  }

  async #ids(): Promise<readonly string[]> {
    const names = (await readdir(this.directory)).filter((name) => name.endsWith('.json')).sort();
    return names.map((name) => name.slice(0, -'.json'.length));
  }

  async #read(id: string): Promise<KeyFile | null> {
    const path = this.#pathOf(id);
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      ignoringAbsence(error);
      return null;
    }
    try {
      const file = parseKeyFile(text);
      if (keyIdOf(publicKeyIn(file), this.#crypto.sha256) !== id) throw new Error('the name is another key’s');
      return file;
    } catch (cause) {
      const advice = 'put it back from the backup, or, where it is lost for good, move it away';
      throw new SigningKeyDamaged(`the signing key ${path} is damaged: ${advice}`, { cause });
    }
  }

  #pathOf(id: string): string {
    return join(this.directory, `${id}.json`);
  }

  #candidate(id: string): string {
    return join(this.directory, `${id}.candidate`);
  }
}

function ignoringAbsence(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
