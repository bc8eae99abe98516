import type { Sha256 } from '../crypto.js';
import { HASH_BYTES, nodeHash } from './hash.js';

/**
 * A whole tree with every level kept (64 bytes a leaf in all), for many paths of the same tree. An odd last node is
 * promoted, never duplicated, as RFC 6962 section 2.1 requires.
 */
export class MerkleTree {
  /** From the leaves to the root; each level is its hashes one after the other. */
  readonly #levels: Uint8Array[];
  readonly #sha256: Sha256;
  readonly size: number;

  /** `leafHashes` are RFC 6962's, with the 0x00 in front. */
  constructor(leafHashes: readonly Uint8Array[], sha256: Sha256) {
    this.size = leafHashes.length;
    this.#sha256 = sha256;
    const leaves = new Uint8Array(leafHashes.length * HASH_BYTES);
    for (let i = 0; i < leafHashes.length; i += 1) leaves.set(leafHashes[i]!, i * HASH_BYTES);
    this.#levels = [leaves];
    for (let level: Uint8Array = leaves; level.length > HASH_BYTES;) {
      level = this.#parents(level);
      this.#levels.push(level);
    }
  }

  /** SHA-256 of nothing for an empty tree. */
  root(): Uint8Array {
    if (this.size === 0) return this.#sha256(new Uint8Array(0));
    return this.#levels[this.#levels.length - 1]!.slice();
  }

  /**
   * RFC 6962 section 2.1.1, from the leaf upwards.
   * @throws RangeError for an index that the tree does not have
   */
  path(index: number): Uint8Array[] {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.size) {
      throw new RangeError(`no leaf ${index} in a tree of ${this.size}`);
    }
    const path: Uint8Array[] = [];
    let at = index;
    for (const level of this.#levels) {
      const sibling = at % 2 === 0 ? at + 1 : at - 1;
      if ((sibling + 1) * HASH_BYTES <= level.length) path.push(hashAt(level, sibling).slice());
      at = Math.floor(at / 2);
    }
    return path;
  }

  #parents(level: Uint8Array): Uint8Array {
    const count = level.length / HASH_BYTES;
    const parents = new Uint8Array(Math.ceil(count / 2) * HASH_BYTES);
    for (let i = 0; i + 1 < count; i += 2) {
      parents.set(nodeHash(hashAt(level, i), hashAt(level, i + 1), this.#sha256), (i / 2) * HASH_BYTES);
    }
    if (count % 2 === 1) parents.set(hashAt(level, count - 1), parents.length - HASH_BYTES);
    return parents;
  }
}

function hashAt(level: Uint8Array, index: number): Uint8Array {
  return level.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
}

/**
 * One path of a tree (RFC 6962 section 2.1.1). For many paths of one tree make a {@link MerkleTree}.
 * @throws RangeError for an index that the tree does not have
 */
export function inclusionPath(leafHashes: readonly Uint8Array[], index: number, sha256: Sha256): Uint8Array[] {
  return new MerkleTree(leafHashes, sha256).path(index);
}
