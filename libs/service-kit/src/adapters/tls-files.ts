import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { ServerCertificate } from '@countersign/http-edge';
import { ConfigurationError } from '@countersign/process';

/** A file, and the variable that names it. */
export interface NamedFile {
  readonly variable: string;
  readonly file: string;
}

/** @throws ConfigurationError that names variable and file, if it cannot be read */
export async function contentsOf({ variable, file }: NamedFile): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw unusable({ variable, file }, (error as NodeJS.ErrnoException).code ?? (error as Error).message);
  }
}

/**
 * Reads a certificate, which is parsed here because a TLS context accepts anything as an authority.
 * @throws ConfigurationError that names variable and file, if it cannot be read or is none
 */
export async function certificateOf(named: NamedFile): Promise<Buffer> {
  const pem = await contentsOf(named);
  usable(named, () => new X509Certificate(pem));
  return pem;
}

/** @throws ConfigurationError that names variable and file, if one cannot be read or they do not belong together */
export async function certificateWithKey(cert: NamedFile, key: NamedFile): Promise<ServerCertificate> {
  const pair = { cert: await certificateOf(cert), key: await contentsOf(key) };
  usable(key, () => createSecureContext(pair));
  return pair;
}

/** Refuses a file for this reason. */
export function unusable({ variable, file }: NamedFile, why: string): ConfigurationError {
  return new ConfigurationError([`${variable} names ${file}, which cannot be used: ${why}`]);
}

function usable(named: NamedFile, use: () => unknown): void {
  try {
    use();
  } catch (error) {
    throw unusable(named, (error as Error).message);
  }
}
