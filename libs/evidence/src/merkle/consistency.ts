import type { Sha256 } from '../crypto.js';
import { sameBytes } from '../encoding/hex.js';
import { HASH_BYTES, nodeHash } from './hash.js';

export interface ConsistencyClaim {
  readonly size1: number;
  readonly size2: number;
  readonly root1: Uint8Array;
  readonly root2: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/**
 * Reports whether the tree of `size1` leaves is a prefix of that of `size2` (RFC 9162 section 2.1.4.2). Trees of equal
 * size need equal roots and an empty proof. `false` for an empty tree, of which nothing follows.
 */
export function verifyConsistency(claim: ConsistencyClaim, sha256: Sha256): boolean {
  const { size1, size2, root1, root2, proof } = claim;
  if (!Number.isSafeInteger(size1) || !Number.isSafeInteger(size2) || size1 < 0 || size1 > size2) return false;
  if (size1 === 0) return false;
  if (size1 === size2) return proof.length === 0 && sameBytes(root1, root2);
  if (proof.some((hash) => hash.length !== HASH_BYTES)) return false;

  let at = size1 - 1;
  let last = size2 - 1;
  for (; at % 2 === 1; at = (at - 1) / 2) last = Math.floor(last / 2);
  // A perfect first tree is its own first node and is omitted from the proof.
  const nodes = at === 0 ? [root1, ...proof] : proof;
  const first = nodes[0];
  if (first === undefined) return false;
  let old = first;
  let grown = first;
  let used = 1;
  for (; last > 0; at = Math.floor(at / 2), last = Math.floor(last / 2)) {
    if (at === last && at % 2 === 0) continue; // Promoted in both trees.
    const node = nodes[used];
    if (node === undefined) return false;
    used += 1;
    if (at % 2 === 1) {
      old = nodeHash(node, old, sha256);
      grown = nodeHash(node, grown, sha256);
    } else grown = nodeHash(grown, node, sha256);
  }
  return used === nodes.length && sameBytes(old, root1) && sameBytes(grown, root2);
}
