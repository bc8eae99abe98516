import { mkdir } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { EventLog } from '@countersign/event-log';
import { keyId as keyIdOf, toHex, type EvidenceCrypto } from '@countersign/evidence';
import { ConfigurationError, type Config } from '@countersign/process';
import type { ServiceContext } from '@countersign/service-kit';
import { HttpSigner } from './http-signer.js';
import { SigningKeyMissing } from './key-file.js';
import { KeyFolder, type HeldFile } from './key-folder.js';
import { Keyring } from './keyring.js';
import { readPassphrase } from './passphrase.js';
import { keysInUse, publishedKeys, type PublishedKey } from './publish-keys.js';
import { writeRing } from './ring-file.js';
import { reconciled, validSince, type Ring, type RingKey } from './ring.js';
import { SignerRefused, SignerUnavailable, type KeyCustody } from './signer.js';
import { SigningKeys } from './signing-keys.js';

export interface KeysContext {
  /** Folder of the keys. */
  readonly directory: string;
  readonly config: Pick<Config, 'signingPassphrase' | 'signer'>;
  readonly eventLog: EventLog;
  readonly crypto: EvidenceCrypto;
  /** Wall clock, ms. */
  readonly clock: () => number;
  readonly log: Pick<ServiceContext['log'], 'info' | 'warn' | 'error'>;
}

export interface OpenedKeys {
  readonly keys: SigningKeys;
  readonly ring: Keyring;
}

/** Handling of a missing key in use: it makes a start fail, and an operator may remove it. */
export type OnLostKey = 'refuse' | 'allow';

/**
 * Opens the signing keys of a folder and publishes them. Creates the first key, only one on concurrent starts;
 * finishes the work of a crash; encrypts plain files if there is a passphrase.
 * @throws SigningKeyMissing if a key in use is neither here nor at the signer; SigningKeyLocked,
 *   SigningKeyDamaged, SignerRefused, ConfigurationError, each with advice: nothing is overwritten then
 */
export async function openSigningKeys(context: KeysContext, onLostKey: OnLostKey = 'refuse'): Promise<OpenedKeys> {
  const { directory, config, eventLog, crypto, clock, log } = context;
  const passphrase = await readPassphrase(config.signingPassphrase);
  const folder = new KeyFolder(directory, passphrase, crypto, () => validSince(clock()));
  const elsewhere = config.signer === null ? null : new HttpSigner(config.signer, crypto);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const ring = new Keyring(directory, eventLog, clock);
  const keys = new SigningKeys({ ring, folder, elsewhere, crypto, log });
  await settle(context, { ring, folder, elsewhere, keys, onLostKey });
  // A key that the passphrase does not open must still be removable by an operator.
  const encrypted = onLostKey === 'refuse' ? await folder.encryptAll() : [];
  for (const keyId of encrypted) log.info({ keyId }, 'the file of a signing key is encrypted now');
  await ring.publish(await ring.read());
  // Two instances that started at once in folders of their own have both published: each finds the other's key now.
  const held = new Set((await ring.read()).keys.map(({ id }) => id));
  const foreign = keysInUse(await publishedKeys(eventLog)).find((id) => !held.has(id));
  if (foreign !== undefined) throw new SigningKeyMissing(foreign, directory);
  return { keys, ring };
}

interface Parts {
  readonly ring: Keyring;
  readonly folder: KeyFolder;
  readonly elsewhere: KeyCustody | null;
  readonly keys: SigningKeys;
  readonly onLostKey: OnLostKey;
}

/** Brings ring, files and topic to one state, which is in the folder once it resolves. */
async function settle(context: KeysContext, parts: Parts): Promise<void> {
  const { directory, eventLog, clock } = context;
  const { ring, elsewhere } = parts;
  for (;;) {
    // In this order no key seems lost while another instance creates it: file, ring and topic are written in that order.
    const published = await publishedKeys(eventLog);
    const stored = await ring.read();
    const files = await filesIn(parts, published, stored);
    let keys = reconciled(stored.keys, { published, files });
    if (keys.length === 0 && elsewhere !== null) keys = [await firstElsewhere(context, elsewhere)];
    if (parts.onLostKey === 'refuse') await requireHeld(context, parts, keys, files);
    if (isDeepStrictEqual(keys, stored.keys)) return;
    const at = new Date(clock()).toISOString();
    if ((await writeRing(directory, stored, keys, at)) !== null) return;
  }
}

/** The key files, after the first one was created if there is no key at all. */
async function filesIn(
  { folder, elsewhere, onLostKey }: Parts,
  published: ReadonlyMap<string, PublishedKey>,
  { number }: { readonly number: number },
): Promise<readonly HeldFile[]> {
  const files = await folder.all();
  if (files.length > 0 || number > 0) return files;
  const [inUse] = keysInUse(published);
  if (inUse !== undefined && onLostKey === 'allow') return files;
  if (!(await folder.finishFirst())) {
    if (inUse !== undefined) throw new SigningKeyMissing(inUse, folder.directory);
    if (elsewhere === null) await folder.makeFirst();
  }
  return folder.all();
}

async function firstElsewhere({ crypto, clock }: KeysContext, elsewhere: KeyCustody): Promise<RingKey> {
  const publicKey = await elsewhere.create().catch((error: unknown) => {
    if (!(error instanceof SignerUnavailable)) throw error;
    throw new SignerRefused(`the external signer makes no first key: ${String(error.cause)}`);
  });
  const id = keyIdOf(publicKey, crypto.sha256);
  const validFrom = validSince(clock());
  const facts = { publicKeyHex: toHex(publicKey), status: 'active', validFrom, validTo: null } as const;
  return { id, version: 1, custody: 'signer', facts };
}

/** An external signer that is down only delays exports; one without the key is the wrong one. */
async function requireHeld(
  { directory, log }: KeysContext,
  { keys, elsewhere }: Parts,
  ring: Ring,
  files: readonly HeldFile[],
): Promise<void> {
  for (const key of ring) {
    const { id, custody, facts } = key;
    if (facts.status !== 'active' && facts.status !== 'published') continue;
    if (custody === 'none' || (custody === 'file' && !files.some((file) => file.id === id))) {
      throw new SigningKeyMissing(id, directory);
    }
    if (custody === 'signer' && elsewhere === null) {
      throw new ConfigurationError([`COUNTERSIGN_SIGNER_URL is missing: the signing key ${id} is kept at a signer`]);
    }
    try {
      await keys.requireHeld(key);
    } catch (error) {
      if (!(error instanceof SignerUnavailable)) throw error;
      log.warn(
        { keyId: id, why: error.cause },
        'the external signer cannot be asked: exports are refused until it can',
      );
    }
  }
}
