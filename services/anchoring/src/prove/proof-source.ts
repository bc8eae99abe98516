import type { AgentWindowProof, ProofSource } from '@countersign/contracts';
import { MerkleTree, toHex, type Sha256 } from '@countersign/evidence';
import { WindowDamaged } from '../domain/agent-fold.js';
import type { AnchoredPlace, AnchorStore, ClosedWindow } from '../store/port.js';

const HASH_BYTES = 32;
const MOST_HASHES = 100_000;
/** Leaves of all trees that are kept: 64 bytes each. */
const KEPT_LEAVES = 500_000;

/** Trees of windows, built from the stored leaves when a proof asks for them; the last ones are kept. */
export class WindowTrees {
  readonly #store: Pick<AnchorStore, 'windowLeafHashes'>;
  readonly #sha256: Sha256;
  readonly #trees = new Map<string, MerkleTree>();
  #leaves = 0;

  constructor(store: Pick<AnchorStore, 'windowLeafHashes'>, sha256: Sha256) {
    this.#store = store;
    this.#sha256 = sha256;
  }

  /** @throws WindowDamaged where the stored leaves do not give the anchored root */
  async of({ windowId, merkleRoot, agentCount }: ClosedWindow): Promise<MerkleTree> {
    const kept = this.#trees.get(windowId);
    if (kept !== undefined) {
      this.#trees.delete(windowId);
      this.#trees.set(windowId, kept);
      return kept;
    }
    const bytes = await this.#store.windowLeafHashes(windowId);
    const hashes = Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
      bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
    );
    const tree = new MerkleTree(hashes, this.#sha256);
    if (tree.size !== agentCount || toHex(tree.root()) !== merkleRoot) {
      throw new WindowDamaged(`the stored leaves of window ${windowId} do not give its anchored root`);
    }
    this.#keep(windowId, tree);
    return tree;
  }

  #keep(windowId: string, tree: MerkleTree): void {
    this.#trees.set(windowId, tree);
    this.#leaves += tree.size;
    for (const [id, old] of this.#trees) {
      if (this.#leaves <= KEPT_LEAVES || id === windowId) break;
      this.#trees.delete(id);
      this.#leaves -= old.size;
    }
  }
}

/** The neighbour `proof-source`. */
export function proofSource(store: AnchorStore, sha256: Sha256): ProofSource {
  const trees = new WindowTrees(store, sha256);
  return {
    windows: async (agentId, first, last) => {
      const proofs: AgentWindowProof[] = [];
      for (const place of await store.places(agentId.toLowerCase(), first, last)) {
        proofs.push(agentWindowProof(place, await trees.of(place.window)));
      }
      return proofs;
    },
    leafHashes: async (agentId, first, last) => {
      if (last - first >= MOST_HASHES) throw new RangeError(`at most ${MOST_HASHES} leaf hashes at a time`);
      const bytes = await store.leafHashes(agentId.toLowerCase(), first, last);
      return Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
        toHex(bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)),
      );
    },
  };
}

function agentWindowProof(place: AnchoredPlace, tree: MerkleTree): AgentWindowProof {
  const { window, leafIndex, firstSequence, lastSequence } = place;
  return {
    windowStart: new Date(window.startMs).toISOString(),
    windowEnd: new Date(window.endMs).toISOString(),
    merkleRoot: window.merkleRoot,
    txSignature: window.signature,
    blockHeight: window.blockHeight,
    anchoredAt: window.anchoredAt,
    network: window.network,
    leaf: {
      agentKey: toHex(place.agentKey),
      count: lastSequence - firstSequence + 1,
      firstSequence,
      lastSequence,
      agentRoot: toHex(place.root),
    },
    leafIndex,
    treeSize: tree.size,
    path: tree.path(leafIndex).map(toHex),
  };
}
