import { MerkleTree, toHex, type Sha256 } from '@countersign/evidence';
import { WindowDamaged } from '../domain/agent-fold.js';
import { hashesIn } from '../domain/window-tiles.js';
import type { AnchoredPlace, AnchorStore } from '../store/port.js';

/** Leaves of all trees that are kept: 64 bytes each. */
const KEPT_LEAVES = 200_000;

/** Trees of agents in anchored windows; the ones that were used last are kept, because events are read in runs. */
export class AgentTrees {
  readonly #store: Pick<AnchorStore, 'leafHashes'>;
  readonly #sha256: Sha256;
  readonly #trees = new Map<string, MerkleTree>();
  #leaves = 0;

  constructor(store: Pick<AnchorStore, 'leafHashes'>, sha256: Sha256) {
    this.#store = store;
    this.#sha256 = sha256;
  }

  /** @throws WindowDamaged if the stored leaves do not give the anchored root of the agent */
  async of(agentId: string, { firstSequence, lastSequence, root }: AnchoredPlace): Promise<MerkleTree> {
    const name = `${agentId}/${firstSequence}`;
    const kept = this.#trees.get(name);
    if (kept !== undefined) {
      this.#trees.delete(name);
      this.#trees.set(name, kept);
      return kept;
    }
    const tree = new MerkleTree(
      hashesIn(await this.#store.leafHashes(agentId, firstSequence, lastSequence)),
      this.#sha256,
    );
    if (toHex(tree.root()) !== toHex(root)) {
      throw new WindowDamaged(
        `the stored leaves ${firstSequence} to ${lastSequence} of agent ${agentId} do not give its anchored root`,
      );
    }
    this.#keep(name, tree);
    return tree;
  }

  #keep(name: string, tree: MerkleTree): void {
    // Two callers may build the same tree at once.
    this.#leaves += tree.size - (this.#trees.get(name)?.size ?? 0);
    this.#trees.set(name, tree);
    for (const [other, { size }] of this.#trees) {
      if (this.#leaves <= KEPT_LEAVES || other === name) break;
      this.#trees.delete(other);
      this.#leaves -= size;
    }
  }
}
