import { createHash } from 'node:crypto';

/** Detects a change that was not made by a store. It is not a signature: anyone who can write can compute it. */
export function checksumOf(id: string, version: number, body: string): string {
  return createHash('sha256').update(`${id}\n${version}\n${body}`).digest('base64url');
}
