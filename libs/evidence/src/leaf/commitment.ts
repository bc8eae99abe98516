import type { Opening } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { isSalt } from '../encoding/base64.js';
import { toHex } from '../encoding/hex.js';
import { canonicalize } from '../json/canonicalize.js';
import { utf8 } from '../encoding/text.js';

export type CommitmentKind = 'action' | 'payload';

/**
 * `SHA-256(JCS([kind, salt, value]))` in lower-case hex.
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

/** `value-not-kept`: the opening has only its salt, so that only a holder of the value can verify it. */
export type OpeningVerdict = 'opens' | 'wrong' | 'value-not-kept';

/** Reports whether `opening` opens `commitment`. A malformed salt never does. */
export function opens(commitment: string, kind: CommitmentKind, opening: Opening, sha256: Sha256): OpeningVerdict {
  if (!isSalt(opening.salt)) return 'wrong';
  if (opening.value === undefined) return 'value-not-kept';
  return commit(kind, opening.salt, opening.value, sha256) === commitment ? 'opens' : 'wrong';
}
