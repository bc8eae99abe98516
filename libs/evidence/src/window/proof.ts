import type { AgentWindowLeaf, AnchoredProof, MerklePath, UnanchoredProof } from '@countersign/contracts';
import { toHex } from '../encoding/hex.js';
import type { MerkleTree } from '../merkle/tree.js';

/** An agent's leaf in an anchored window. `AgentWindowProof` of contracts is one. */
export interface AnchoredLeaf {
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly merkleRoot: string;
  readonly txSignature: string;
  readonly network: string;
  readonly leaf: AgentWindowLeaf;
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly path: MerklePath;
}

/**
 * Builds the proof of one event of an anchored window.
 * @param agentTree the tree over the agent's leaf hashes of this window, `anchored.leaf.count` of them
 * @throws RangeError where the sequence lies outside the window, or the tree is not the one that was anchored
 */
export function proofFor(
  event: { readonly eventId: string; readonly sequence: number },
  agentTree: MerkleTree,
  anchored: AnchoredLeaf,
): AnchoredProof {
  const { leaf } = anchored;
  const leafIndex = event.sequence - leaf.firstSequence;
  if (agentTree.size !== leaf.count || toHex(agentTree.root()) !== leaf.agentRoot) {
    throw new RangeError('the tree is not the one that was anchored');
  }
  return {
    eventId: event.eventId,
    anchored: true,
    leafIndex,
    treeSize: leaf.count,
    path: agentTree.path(leafIndex).map(toHex),
    agent: {
      agentKey: leaf.agentKey,
      firstSequence: leaf.firstSequence,
      lastSequence: leaf.lastSequence,
      agentRoot: leaf.agentRoot,
      leafIndex: anchored.leafIndex,
      treeSize: anchored.treeSize,
      path: anchored.path,
    },
    merkleRoot: anchored.merkleRoot,
    txSignature: anchored.txSignature,
    network: anchored.network,
    windowStart: anchored.windowStart,
    windowEnd: anchored.windowEnd,
  };
}

/** The proof of an event whose window is not anchored: exactly these two members. */
export function unanchored(eventId: string): UnanchoredProof {
  return { eventId, anchored: false };
}
