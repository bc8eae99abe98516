import type { Sha256 } from '../crypto.js';
import { toHex } from '../encoding/hex.js';
import { utf8 } from '../encoding/text.js';
import { canonicalize, memberTexts, type MemberText } from '../json/canonicalize.js';
import { isRecord } from '../reading.js';

/** Members of a leaf that are commitments. */
export const COMMITMENT_KINDS = ['action', 'payload', 'context'] as const;
export type CommitmentKind = (typeof COMMITMENT_KINDS)[number];

/** An object with at most so many members is committed member by member in leaves of version 2. */
export const MOST_MEMBERS = 32;

/** SHA-256 of the UTF-8 form of a text, lower-case hex. */
export type TextHash = (text: string) => string;

/**
 * The commitment of a leaf of version 1: `SHA-256(JCS([kind, salt, value]))` in lower-case hex.
 * @param salt 16 random bytes in base64url without padding, one for each value
 * @throws NotCanonical where `value` has no canonical form
 */
export function commit(kind: CommitmentKind, salt: string, value: unknown, sha256: Sha256): string {
  return commitCanonical(kind, salt, canonicalize(value), sha256);
}

/** {@link commit} for a value that is already in RFC 8785 form. */
export function commitCanonical(kind: CommitmentKind, salt: string, canonicalValue: string, sha256: Sha256): string {
  return toHex(sha256(utf8(commitmentText(kind, salt, canonicalValue))));
}

/** The hashed text: `JCS([kind, salt, value])`. For callers whose hash takes text. */
export function commitmentText(kind: CommitmentKind, salt: string, canonicalValue: string): string {
  return `["${kind}","${salt}",${canonicalValue}]`;
}

/**
 * The commitment of a leaf of version 2: member by member where `value` is an object with 1 to {@link MOST_MEMBERS}
 * members, otherwise as {@link commit}.
 * @throws NotCanonical where `value` has no canonical form
 */
export function commitV2(kind: CommitmentKind, salt: string, value: unknown, sha256: Sha256): string {
  if (!hasMembers(value)) return commit(kind, salt, value, sha256);
  return commitMembers(kind, salt, memberTexts(value), textHash(sha256));
}

/**
 * {@link commitV2} of an object whose members are already in RFC 8785 form: nothing is traversed. As
 * {@link commitDigests} of the {@link memberDigest} of each, with its salt of {@link memberSalts}; every check runs it, so
 * it makes no lists, and joins few pieces of text.
 * @param members 1 to {@link MOST_MEMBERS}, in the order of {@link memberTexts}
 */
export function commitMembers(
  kind: CommitmentKind,
  salt: string,
  members: readonly MemberText[],
  hash: TextHash,
): string {
  const block = `["salts","${kind}","${salt}",`;
  const member = `["${kind}",`;
  let digests = `["${kind}",["`;
  let salts = '';
  for (let i = 0; i < members.length; i += 1) {
    const { name, value } = members[i]!;
    const isEven = i % 2 === 0;
    if (isEven) salts = hash(block + i / 2 + ']');
    if (i > 0) digests += '","';
    digests += hash(member + name + ',"' + (isEven ? salts.slice(0, 32) : salts.slice(32)) + '",' + value + ']');
  }
  return hash(digests + '"]]');
}

/** Reports whether a leaf of version 2 commits `value` member by member. */
export function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const { length } = Object.keys(value);
  return length >= 1 && length <= MOST_MEMBERS;
}

/** `SHA-256(JCS([kind, digests]))`. */
export function commitDigests(kind: CommitmentKind, digests: readonly string[], hash: TextHash): string {
  return hash(`["${kind}",["${digests.join('","')}"]]`);
}

/** `SHA-256(JCS([kind, name, salt, value]))`; `salt`: 32 hex digits. */
export function memberDigest(kind: CommitmentKind, { name, value }: MemberText, salt: string, hash: TextHash): string {
  return hash(`["${kind}",${name},"${salt}",${value}]`);
}

/** Salts of the first `count` members, 32 hex digits each: the halves of `SHA-256(JCS(["salts", kind, salt, j]))`. */
export function memberSalts(kind: CommitmentKind, salt: string, count: number, hash: TextHash): string[] {
  const salts: string[] = [];
  for (let j = 0; salts.length < count; j += 1) {
    const block = hash(`["salts","${kind}","${salt}",${j}]`);
    salts.push(block.slice(0, 32));
    if (salts.length < count) salts.push(block.slice(32));
  }
  return salts;
}

export function textHash(sha256: Sha256): TextHash {
  return (text) => toHex(sha256(utf8(text)));
}
