import type { AgentWindowProof, ProofSource } from '@countersign/contracts';
import { proofFor, toHex, type Sha256 } from '@countersign/evidence';
import { hashesIn } from '../domain/window-tiles.js';
import type { AnchoredPlace, AnchorStore } from '../store/port.js';
import { AgentTrees } from './agent-trees.js';
import { WindowTrees } from './window-trees.js';

const MOST_HASHES = 100_000;

/** The peer `proof-source`. */
export function proofSource(store: AnchorStore, sha256: Sha256): ProofSource {
  const trees = new WindowTrees(store, sha256);
  const agentTrees = new AgentTrees(store, sha256);
  return {
    windows: async (agentId, first, last) => {
      const proofs: AgentWindowProof[] = [];
      for (const place of await store.places(agentId.toLowerCase(), first, last)) {
        proofs.push(agentWindowProof(place, await trees.path(place.window, place.leafIndex)));
      }
      return proofs;
    },
    leafHashes: async (agentId, first, last) => {
      if (last - first >= MOST_HASHES) throw new RangeError(`at most ${MOST_HASHES} leaf hashes at a time`);
      return hashesIn(await store.leafHashes(agentId.toLowerCase(), first, last)).map(toHex);
    },
    proof: async (agentId, sequence, eventId) => {
      const agent = agentId.toLowerCase();
      const [place] = await store.places(agent, sequence, sequence);
      if (place === undefined) return null;
      const [tree, path] = await Promise.all([agentTrees.of(agent, place), trees.path(place.window, place.leafIndex)]);
      return proofFor({ eventId, sequence }, tree, agentWindowProof(place, path));
    },
  };
}

function agentWindowProof(place: AnchoredPlace, path: readonly Uint8Array[]): AgentWindowProof {
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
    treeSize: window.agentCount,
    path: path.map(toHex),
  };
}
