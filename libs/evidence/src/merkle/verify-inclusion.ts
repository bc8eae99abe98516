import type { Sha256 } from '../crypto.js';
import { sameBytes } from '../encoding/hex.js';
import { HASH_BYTES, nodeHash } from './hash.js';

/**
 * The root that `path` leads to from `leaf` at `index` of a tree of `treeSize` (RFC 9162 section 2.1.3.2). `null` where
 * no such tree has such a path: an index outside the tree, a path too long or too short, a hash that is not 32 bytes.
 */
export function rootFromPath(
  leaf: Uint8Array,
  index: number,
  treeSize: number,
  path: readonly Uint8Array[],
  sha256: Sha256,
): Uint8Array | null {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(treeSize) || index < 0 || index >= treeSize) return null;
  if (leaf.length !== HASH_BYTES) return null;
  let node = leaf;
  let at = index;
  let last = treeSize - 1;
  let used = 0;
  for (; last > 0; at = Math.floor(at / 2), last = Math.floor(last / 2)) {
    if (at === last && at % 2 === 0) continue; // Promoted: no sibling on this level.
    const sibling = path[used];
    if (sibling === undefined || sibling.length !== HASH_BYTES) return null;
    used += 1;
    node = at % 2 === 1 ? nodeHash(sibling, node, sha256) : nodeHash(node, sibling, sha256);
  }
  return used === path.length ? node : null;
}

/** Reports whether `path` proves `leaf` at `index` of the tree of `treeSize` leaves whose root is `root`. */
export function verifyInclusion(
  proof: {
    readonly leaf: Uint8Array;
    readonly index: number;
    readonly treeSize: number;
    readonly path: readonly Uint8Array[];
    readonly root: Uint8Array;
  },
  sha256: Sha256,
): boolean {
  const root = rootFromPath(proof.leaf, proof.index, proof.treeSize, proof.path, sha256);
  return root !== null && sameBytes(root, proof.root);
}
