import { readFile } from 'node:fs/promises';
import { ConfigurationError, type Config } from '@countersign/process';

/** What encrypts key files, and the variable that it comes from. The text is in no message and no log. */
export interface Passphrase {
  readonly setting: 'COUNTERSIGN_SIGNING_PASSPHRASE' | 'COUNTERSIGN_SIGNING_PASSPHRASE_FILE';
  readonly text: string;
}

/** Files of keys can be copied and tried against at leisure: the passphrase alone keeps them. */
const SHORTEST = 16;
/** OpenSSL reads no more of one, bytes. */
const LONGEST = 1024;

/**
 * The passphrase of the configuration; of a file without the line break at its end.
 * @throws ConfigurationError naming the setting where the file cannot be read, or the passphrase is too short or long
 */
export async function readPassphrase(from: Config['signingPassphrase']): Promise<Passphrase | null> {
  if (from === null) return null;
  const setting = 'file' in from ? 'COUNTERSIGN_SIGNING_PASSPHRASE_FILE' : 'COUNTERSIGN_SIGNING_PASSPHRASE';
  const text = 'file' in from ? (await readSecret(setting, from.file)).replace(/\r?\n$/, '') : from.text;
  if (text.length < SHORTEST) {
    throw new ConfigurationError([
      `${setting} must hold ${SHORTEST} characters or more, as openssl rand -base64 32 gives`,
    ]);
  }
  if (Buffer.byteLength(text) > LONGEST)
    throw new ConfigurationError([`${setting} must hold ${LONGEST} bytes or less`]);
  return { setting, text };
}

/** @throws ConfigurationError naming the setting, not what the file holds */
export async function readSecret(setting: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError([`${setting} names ${file}, which cannot be read: ${codeOf(error)}`]);
  }
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
