import { readFile } from 'node:fs/promises';
import { ConfigurationError, type Config } from '@countersign/process';

/** Passphrase of the key files, and the variable that it comes from. The text is in no message and no log. */
export interface Passphrase {
  readonly setting: 'COUNTERSIGN_SIGNING_PASSPHRASE' | 'COUNTERSIGN_SIGNING_PASSPHRASE_FILE';
  readonly text: string;
}

/** Key files can be copied and attacked offline: only the passphrase protects them. */
const SHORTEST = 16;
/** OpenSSL's limit, bytes. */
const LONGEST = 1024;

/**
 * Reads the configured passphrase; from a file without the line break at its end.
 * @throws ConfigurationError naming the setting if the file cannot be read, or the passphrase is too short or long
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

/** @throws ConfigurationError naming the setting, not the content of the file */
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
