import { createHash } from 'node:crypto';

/** Tells a document that was changed by anything but a store. It is no signature: a store writes it itself. */
export function checksumOf(id: string, version: number, body: string): string {
  return createHash('sha256').update(`${id}\n${version}\n${body}`).digest('base64url');
}
