import { MerkleTree, sameBytes, toHex, type Sha256 } from '@countersign/evidence';

/**
 * Leaves of a window's tree are kept in tiles of this many, a power of two: the roots of the tiles are the leaves of the
 * tree above them, so that a path needs one tile and that tree, and not the whole window.
 */
export const TILE_LEAVES = 1024;

const HASH_BYTES = 32;

/** Hashes that lie one after the other. */
export function hashesIn(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.floor(bytes.length / HASH_BYTES) }, (_, i) => hashAt(bytes, i));
}

export function hashAt(bytes: Uint8Array, index: number): Uint8Array {
  return bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
}

/** The tree above the tiles; `null`: these are not the roots of the window's tiles. */
export function treeOfTiles(
  roots: Uint8Array,
  window: { readonly merkleRoot: string; readonly agentCount: number },
  tileLeaves: number,
  sha256: Sha256,
): MerkleTree | null {
  if (roots.length !== Math.ceil(window.agentCount / tileLeaves) * HASH_BYTES) return null;
  const tree = new MerkleTree(hashesIn(roots), sha256);
  return toHex(tree.root()) === window.merkleRoot ? tree : null;
}

/** The tree of one tile; `null`: these are not the leaves that its root is of. */
export function treeOfTile(leaves: Uint8Array, root: Uint8Array, size: number, sha256: Sha256): MerkleTree | null {
  if (leaves.length !== size * HASH_BYTES) return null;
  const tree = new MerkleTree(hashesIn(leaves), sha256);
  return sameBytes(tree.root(), root) ? tree : null;
}
