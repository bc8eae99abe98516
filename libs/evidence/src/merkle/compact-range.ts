import type { Sha256 } from '../crypto.js';
import { nodeHash } from './hash.js';

/**
 * The root of a growing tree in memory of the tree's height: one hash for each set bit of its size. Appending n leaves
 * costs n - 1 hashes in all, without recursion.
 */
export class CompactRange {
  readonly #sha256: Sha256;
  /** Roots of the perfect subtrees from left to right, largest first. */
  readonly #peaks: Uint8Array[] = [];
  #size = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  get size(): number {
    return this.#size;
  }

  /** `hash` is a leaf hash: RFC 6962's, with the 0x00 in front. */
  append(hash: Uint8Array): void {
    let node = hash;
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2) {
      node = nodeHash(this.#peaks.pop()!, node, this.#sha256);
    }
    this.#peaks.push(node);
    this.#size += 1;
  }

  /** Root of the leaves appended so far; SHA-256 of nothing for an empty tree (RFC 6962 section 2.1). */
  root(): Uint8Array {
    const peaks = this.#peaks;
    if (peaks.length === 0) return this.#sha256(new Uint8Array(0));
    let root = peaks[peaks.length - 1]!;
    for (let i = peaks.length - 2; i >= 0; i -= 1) root = nodeHash(peaks[i]!, root, this.#sha256);
    return root;
  }
}

/** Root of the tree over `leafHashes` (RFC 6962 section 2.1). */
export function merkleRoot(leafHashes: Iterable<Uint8Array>, sha256: Sha256): Uint8Array {
  const range = new CompactRange(sha256);
  for (const hash of leafHashes) range.append(hash);
  return range.root();
}
