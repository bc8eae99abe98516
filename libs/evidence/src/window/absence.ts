import type { AgentWindowLeaf, MerklePath } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { toHex } from '../encoding/hex.js';
import type { MerkleTree } from '../merkle/tree.js';
import type { AnchoredLeaf } from './proof.js';
import { agentKey } from './window-tree.js';

/** A leaf of the window tree next to the position at which an absent agent would be. */
export interface AdjacentLeaf {
  readonly leaf: AgentWindowLeaf;
  /** Its index in the window tree. */
  readonly leafIndex: number;
  /** From its leaf to `merkleRoot`. */
  readonly path: MerklePath;
}

/**
 * Proof that an agent had no event in an anchored window: the leaves of a window tree are ordered by `agentKey`, and
 * the two between which the agent would be are adjacent. `FORMAT.md`, "Absence".
 */
export interface AbsenceProof {
  readonly v: 1;
  readonly kind: 'absence';
  readonly agentId: string;
  readonly agentKey: string;
  /** `null`: the agent would come before all others. */
  readonly before: AdjacentLeaf | null;
  /** `null`: the agent would come after all others. */
  readonly after: AdjacentLeaf | null;
  /** Agents of the window. */
  readonly treeSize: number;
  readonly merkleRoot: string;
  readonly txSignature: string;
  readonly network: string;
  readonly windowStart: string;
  readonly windowEnd: string;
}

/** An anchored window, of any agent. */
export type AnchoredRoot = Pick<AnchoredLeaf, 'merkleRoot' | 'txSignature' | 'network' | 'windowStart' | 'windowEnd'>;

/**
 * The position that an agent has or would have among the leaves of a window, ordered by key: the number of smaller
 * keys, by binary search.
 * @param keyAt `agentKey` of the leaf at an index, lower-case hex
 */
export async function positionOfKey(
  key: string,
  size: number,
  keyAt: (index: number) => Promise<string>,
): Promise<number> {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await keyAt(middle)) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Builds the proof that an agent had no event in a window.
 * @param tree the window tree
 * @param position number of agents of the window with a smaller key: {@link positionOfKey}
 * @param adjacent leaves at `position - 1` and `position`, `null` where the tree ends
 * @throws RangeError where the adjacent leaves do not surround the agent (it had events, or the position is another), or the
 * tree is not the one that was anchored
 */
export function absenceProof(
  agentId: string,
  tree: MerkleTree,
  position: number,
  adjacent: { readonly before: AgentWindowLeaf | null; readonly after: AgentWindowLeaf | null },
  window: AnchoredRoot,
  sha256: Sha256,
): AbsenceProof {
  if (toHex(tree.root()) !== window.merkleRoot) throw new RangeError('the tree is not the one that was anchored');
  const key = agentKey(agentId, sha256);
  const { before, after } = adjacent;
  const surrounded =
    (before === null ? position === 0 : before.agentKey < key) &&
    (after === null ? position === tree.size : key < after.agentKey);
  if (!surrounded || tree.size === 0) throw new RangeError('the agent is not between these leaves');
  const adjacentLeaf = (leaf: AgentWindowLeaf | null, leafIndex: number): AdjacentLeaf | null =>
    leaf === null ? null : { leaf, leafIndex, path: tree.path(leafIndex).map(toHex) };
  const { merkleRoot, txSignature, network, windowStart, windowEnd } = window;
  return {
    v: 1,
    kind: 'absence',
    agentId: agentId.toLowerCase(),
    agentKey: key,
    before: adjacentLeaf(before, position - 1),
    after: adjacentLeaf(after, position),
    treeSize: tree.size,
    ...{ merkleRoot, txSignature, network, windowStart, windowEnd },
  };
}
