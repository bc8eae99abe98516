import { MerkleTree, toHex, type Sha256 } from '@countersign/evidence';
import { WindowDamaged } from '../domain/agent-fold.js';
import { hashAt, hashesIn, TILE_LEAVES, treeOfTile, treeOfTiles } from '../domain/window-tiles.js';
import type { AnchorStore, ClosedWindow } from '../store/port.js';

/** Leaves of all trees that are kept: 64 bytes each. */
const KEPT_LEAVES = 500_000;

interface KeptTree {
  readonly tree: MerkleTree;
  /** Its leaves, where they are roots of tiles. */
  readonly leaves: Uint8Array | null;
}

/**
 * Paths in the trees of windows. Of a large window one tile of leaves is read, and the roots of all; where these are not
 * kept, or do not fit, the whole tree is built from its leaves. The last trees are kept.
 */
export class WindowTrees {
  readonly #store: Pick<AnchorStore, 'windowLeafHashes' | 'windowTile' | 'windowTileRoots'>;
  readonly #sha256: Sha256;
  readonly #tileLeaves: number;
  readonly #trees = new Map<string, KeptTree>();
  #leaves = 0;

  constructor(
    store: Pick<AnchorStore, 'windowLeafHashes' | 'windowTile' | 'windowTileRoots'>,
    sha256: Sha256,
    tileLeaves = TILE_LEAVES,
  ) {
    this.#store = store;
    this.#sha256 = sha256;
    this.#tileLeaves = tileLeaves;
  }

  /**
   * RFC 6962 section 2.1.1, from the leaf upwards to the anchored root.
   * @throws WindowDamaged where the stored leaves do not give it; RangeError for an index that the window does not have
   */
  async path(window: ClosedWindow, leafIndex: number): Promise<readonly Uint8Array[]> {
    const byTile = this.#trees.has(window.windowId) ? null : await this.#pathByTile(window, leafIndex);
    return byTile ?? (await this.of(window)).path(leafIndex);
  }

  /** The whole tree. @throws WindowDamaged where the stored leaves do not give the anchored root */
  async of({ windowId, merkleRoot, agentCount }: ClosedWindow): Promise<MerkleTree> {
    const kept = this.#kept(windowId);
    if (kept !== null) return kept.tree;
    const tree = new MerkleTree(hashesIn(await this.#store.windowLeafHashes(windowId)), this.#sha256);
    if (tree.size !== agentCount || toHex(tree.root()) !== merkleRoot) {
      throw new WindowDamaged(`the stored leaves of window ${windowId} do not give its anchored root`);
    }
    this.#keep(windowId, { tree, leaves: null });
    return tree;
  }

  /** `null` where the window has one tile alone, or its tiles are not kept as they were closed. */
  async #pathByTile(window: ClosedWindow, leafIndex: number): Promise<readonly Uint8Array[] | null> {
    const { windowId, agentCount } = window;
    if (agentCount <= this.#tileLeaves || leafIndex >= agentCount) return null;
    const above = await this.#aboveTiles(window);
    if (above === null) return null;
    const within = leafIndex % this.#tileLeaves;
    const first = leafIndex - within;
    const name = `${windowId}/${first}`;
    let tile = this.#kept(name)?.tree ?? null;
    if (tile === null) {
      const size = Math.min(this.#tileLeaves, agentCount - first);
      const root = hashAt(above.leaves!, first / this.#tileLeaves);
      tile = treeOfTile(await this.#store.windowTile(windowId, first), root, size, this.#sha256);
      if (tile === null) return null;
      this.#keep(name, { tree: tile, leaves: null });
    }
    return [...tile.path(within), ...above.tree.path(first / this.#tileLeaves)];
  }

  async #aboveTiles(window: ClosedWindow): Promise<KeptTree | null> {
    const name = `${window.windowId}/tiles`;
    const kept = this.#kept(name);
    if (kept !== null) return kept;
    const leaves = await this.#store.windowTileRoots(window.windowId);
    const tree = leaves === null ? null : treeOfTiles(leaves, window, this.#tileLeaves, this.#sha256);
    if (tree === null) return null;
    const made = { tree, leaves };
    this.#keep(name, made);
    return made;
  }

  #kept(name: string): KeptTree | null {
    const kept = this.#trees.get(name);
    if (kept === undefined) return null;
    this.#trees.delete(name);
    this.#trees.set(name, kept);
    return kept;
  }

  #keep(name: string, kept: KeptTree): void {
    // Two that ask at once may build the same.
    this.#leaves += kept.tree.size - (this.#trees.get(name)?.tree.size ?? 0);
    this.#trees.set(name, kept);
    for (const [other, { tree }] of this.#trees) {
      if (this.#leaves <= KEPT_LEAVES || other === name) break;
      this.#trees.delete(other);
      this.#leaves -= tree.size;
    }
  }
}
