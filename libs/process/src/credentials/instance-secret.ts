import { hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../configuration/config.js';
import { ConfigurationError } from '../configuration/load-config.js';
import { makeDataDirectory } from '../data-directory/data-directory.js';
import { createFileOnce, readIfPresent } from '../data-directory/files.js';
import type { SealingKeys } from './sealed-text.js';

const LEAST_BYTES = 32;
const MADE_BYTES = 32;
const DERIVED_BYTES = 32;

/** Purposes for which keys are derived from the instance secret; each has a key of its own. */
export type SecretPurpose =
  | 'session tokens'
  | 'service credential'
  | 'alert secrets'
  | 'stream credentials'
  | 'registrations'
  | 'approvals'
  | 'access requests'
  | 'single sign-on'
  | 'second factors';

/**
 * Derives a key from the instance secret, the same in every process of the installation: HKDF (RFC 5869) with SHA-256. The
 * secret is in `COUNTERSIGN_INSTANCE_SECRET_FILE`, else in `<data>/instance-secret`, which the first call creates.
 * @throws ConfigurationError if the file is absent or shorter than 32 bytes
 */
export async function deriveSecret(
  config: Pick<Config, 'dataDir' | 'instanceSecretFile'>,
  purpose: SecretPurpose,
): Promise<Uint8Array> {
  return derived(await instanceSecret(config), purpose);
}

/**
 * Derives the key that seals what is stored, and that of the secret which is being replaced: the file of the secret with
 * `.previous` at the end of its name.
 * @throws ConfigurationError as `deriveSecret`, also where both files hold the same
 */
export async function sealingKeys(
  config: Pick<Config, 'dataDir' | 'instanceSecretFile'>,
  purpose: SecretPurpose,
): Promise<SealingKeys> {
  const secret = await instanceSecret(config);
  const file = `${fileOf(config)}.previous`;
  const previous = await readIfPresent(file);
  if (previous === null) return { present: derived(secret, purpose), previous: null };
  refuseShort(previous, file);
  if (Buffer.from(previous).equals(secret)) {
    throw new ConfigurationError([`${file} holds the present instance secret: it is for the one before`]);
  }
  return { present: derived(secret, purpose), previous: derived(previous, purpose) };
}

function derived(secret: Uint8Array, purpose: SecretPurpose): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), `countersign ${purpose} v1`, DERIVED_BYTES));
}

/** The bearer token between services of different processes. @throws ConfigurationError as `deriveSecret` */
export async function serviceCredential(config: Pick<Config, 'dataDir' | 'instanceSecretFile'>): Promise<string> {
  return Buffer.from(await deriveSecret(config, 'service credential')).toString('base64url');
}

async function instanceSecret(config: Pick<Config, 'dataDir' | 'instanceSecretFile'>): Promise<Uint8Array> {
  const given = config.instanceSecretFile;
  const file = fileOf(config);
  const secret = given === null ? await makeOnce(config.dataDir, file) : await readIfPresent(given);
  if (secret === null) {
    throw new ConfigurationError([`COUNTERSIGN_INSTANCE_SECRET_FILE names ${file}, and there is no such file`]);
  }
  refuseShort(secret, file);
  return secret;
}

function fileOf({ dataDir, instanceSecretFile }: Pick<Config, 'dataDir' | 'instanceSecretFile'>): string {
  return instanceSecretFile ?? join(dataDir, 'instance-secret');
}

function refuseShort(secret: Uint8Array, file: string): void {
  if (secret.length >= LEAST_BYTES) return;
  throw new ConfigurationError([`${file} holds less than ${LEAST_BYTES} bytes: fill it from a random source`]);
}

async function makeOnce(dataDir: string, file: string): Promise<Uint8Array> {
  await makeDataDirectory(dataDir);
  return createFileOnce(file, () => randomBytes(MADE_BYTES), 0o600);
}
