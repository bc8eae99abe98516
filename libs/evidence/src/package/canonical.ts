import type { PackageContent, SignedPackage } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { toHex } from '../encoding/hex.js';
import { joined, memberOf, type Member } from './member.js';

/** Removed before hashing and signing; every other member, `timestamp` included, is covered. */
export const VERIFICATION_FIELDS = ['sha256', 'signature', 'algorithm', 'publicKeyUrl'] as const;

const UNSIGNED: ReadonlySet<string> = new Set(VERIFICATION_FIELDS);

export interface PackageDigests {
  /** The bytes that `sha256` hashes and `signature` signs. */
  readonly bytes: Uint8Array;
  /** SHA-256 of `bytes`, lower-case hex. */
  readonly sha256: string;
  /** SHA-256 of the canonical package without `timestamp`, as in the memo of the report's transaction. */
  readonly contentHash: string;
}

/**
 * All hashes of a package; each member is canonicalized once.
 * @throws NotCanonical where the package has no canonical form
 */
export function packageDigests(pkg: object, sha256: Sha256): PackageDigests {
  const members = canonicalMembers(pkg);
  const bytes = joined(members);
  return {
    bytes,
    sha256: toHex(sha256(bytes)),
    contentHash: toHex(sha256(joined(contentMembers(members)))),
  };
}

/** RFC 8785 bytes of the package without the four verification fields. */
export function packageCanonicalBytes(pkg: object): Uint8Array {
  return joined(canonicalMembers(pkg));
}

/** SHA-256 of the canonical package without `timestamp` and the four verification fields, lower-case hex. */
export function contentHash(pkg: PackageContent | SignedPackage, sha256: Sha256): string {
  return toHex(sha256(joined(contentMembers(canonicalMembers(pkg)))));
}

/** The members that hash and signature cover. */
export function canonicalMembers(pkg: object): Member[] {
  return Object.keys(pkg)
    .filter((name) => !UNSIGNED.has(name))
    .map((name) => memberOf(name, (pkg as Record<string, unknown>)[name]));
}

/** The members that the content hash covers. */
export function contentMembers(members: readonly Member[]): Member[] {
  return members.filter(({ name }) => name !== 'timestamp');
}
