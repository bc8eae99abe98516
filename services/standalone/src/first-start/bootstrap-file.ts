import { join } from 'node:path';
import { isWellFormedApiKey, readIfPresent, writeFileWhole } from '@countersign/process';
import { unlink } from 'node:fs/promises';

/** The account's part of `bootstrap.json`; never changed. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly accountId: string;
  readonly agentId: string;
}

/** Addresses in use; updated by every start. */
export interface Addresses {
  readonly baseUrl: string;
  readonly mcpUrl: string;
  readonly solanaRpcUrl: string;
}

/** Stored before it is used, so that no crash can lose credentials that are already in use. */
export interface PendingStart extends Credentials {
  readonly userId: string;
  readonly apiKeyId: string;
}

const FILE = 'bootstrap.json';
const PENDING = 'bootstrap.pending.json';
const MODE = 0o600;

/** A file that this program wrote has lost required content. */
export class BootstrapDamaged extends Error {
  override readonly name = 'StoreDamaged';
}

async function read<T extends object>(file: string, members: readonly (keyof T & string)[]): Promise<T | null> {
  const bytes = await readIfPresent(file).catch((error: NodeJS.ErrnoException) => {
    throw new BootstrapDamaged(`${file} cannot be read (${error.code}): restore it, or move it away`, { cause: error });
  });
  if (bytes === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw new BootstrapDamaged(`${file} is damaged: it is not JSON`);
  }
  for (const member of members) {
    if (typeof (value as Record<string, unknown> | null)?.[member] !== 'string') {
      throw new BootstrapDamaged(`${file} is damaged: it has no ${member}`);
    }
  }
  return value as T;
}

const CREDENTIALS = ['email', 'password', 'apiKey', 'accountId', 'agentId'] as const;

/**
 * The account's credentials, or `null` if there is no such file.
 * @throws BootstrapDamaged naming the file, also if the API key in it fails its checksum
 */
export async function readBootstrap(dataDir: string): Promise<Credentials | null> {
  const file = join(dataDir, FILE);
  const credentials = await read<Credentials>(file, CREDENTIALS);
  if (credentials !== null && !isWellFormedApiKey(credentials.apiKey)) {
    throw new BootstrapDamaged(`${file} is damaged: its apiKey is no API key of Countersign`);
  }
  return credentials;
}

export function readPending(dataDir: string): Promise<PendingStart | null> {
  return read<PendingStart>(join(dataDir, PENDING), [...CREDENTIALS, 'userId', 'apiKeyId']);
}

export function writePending(dataDir: string, pending: PendingStart): Promise<void> {
  return writeFileWhole(join(dataDir, PENDING), `${JSON.stringify(pending)}\n`, MODE);
}

/** Writes `bootstrap.json` completely, then removes the pending file. Returns the text. */
export async function writeBootstrap(dataDir: string, addresses: Addresses, credentials: Credentials): Promise<string> {
  const { baseUrl, mcpUrl, solanaRpcUrl } = addresses;
  const { email, password, apiKey, accountId, agentId } = credentials;
  const content = { baseUrl, mcpUrl, solanaRpcUrl, email, password, apiKey, accountId, agentId };
  const text = `${JSON.stringify(content, null, 2)}\n`;
  await writeFileWhole(join(dataDir, FILE), text, MODE);
  await unlink(join(dataDir, PENDING)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return text;
}
