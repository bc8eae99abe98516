import type { AgentWindowLeaf, MerklePath } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { fromHex, toHex } from '../encoding/hex.js';
import { utf8 } from '../encoding/text.js';
import { merkleRoot } from '../merkle/compact-range.js';
import { leafHash } from '../merkle/hash.js';
import { MerkleTree } from '../merkle/tree.js';

/** SHA-256 of the agent id in lower case (UTF-8), lower-case hex. */
export function agentKey(agentId: string, sha256: Sha256): string {
  return toHex(sha256(utf8(agentId.toLowerCase())));
}

/** RFC 8785 form of a leaf of the window tree, in UTF-8. */
export function windowLeafBytes(leaf: AgentWindowLeaf): Uint8Array {
  return utf8(
    `{"agentKey":"${leaf.agentKey}","agentRoot":"${leaf.agentRoot}","count":${leaf.count}` +
      `,"firstSequence":${leaf.firstSequence},"lastSequence":${leaf.lastSequence}}`,
  );
}

export function windowLeafHash(leaf: AgentWindowLeaf, sha256: Sha256): Uint8Array {
  return leafHash(windowLeafBytes(leaf), sha256);
}

/** The events of one agent in one window, in the order of their sequence. */
export interface AgentEvents {
  readonly agentId: string;
  readonly firstSequence: number;
  /** RFC 6962 leaf hashes, at least one; or their count and root where only these are known. */
  readonly leaves: readonly Uint8Array[] | { readonly count: number; readonly root: Uint8Array };
}

export interface WindowAgent {
  readonly agentId: string;
  readonly agentKey: string;
  readonly leaf: AgentWindowLeaf;
  readonly leafIndex: number;
  /** From the agent's leaf to `merkleRoot`. */
  readonly path: MerklePath;
}

export interface WindowTree {
  readonly merkleRoot: string;
  /** Agents: the `treeSize` of every path in it. */
  readonly treeSize: number;
  readonly eventCount: number;
  /** In the order of `agentKey`: `agents[i].leafIndex` is `i`. */
  readonly agents: readonly WindowAgent[];
}

/**
 * The tree of a window: one leaf for each agent that had events, ordered by `agentKey`.
 * @throws RangeError for no agents, an agent without events, or one given twice
 */
export function windowTree(agents: Iterable<AgentEvents>, sha256: Sha256): WindowTree {
  const entries = [...agents].map((agent) => ({ agentId: agent.agentId, leaf: agentLeaf(agent, sha256) }));
  if (entries.length === 0) throw new RangeError('a window without events has no tree');
  entries.sort((a, b) => (a.leaf.agentKey < b.leaf.agentKey ? -1 : 1));
  for (let i = 1; i < entries.length; i += 1) {
    if (entries[i]!.leaf.agentKey === entries[i - 1]!.leaf.agentKey) throw new RangeError('an agent is given twice');
  }
  const tree = new MerkleTree(
    entries.map(({ leaf }) => windowLeafHash(leaf, sha256)),
    sha256,
  );
  return {
    merkleRoot: toHex(tree.root()),
    treeSize: entries.length,
    eventCount: entries.reduce((sum, { leaf }) => sum + leaf.count, 0),
    agents: entries.map(({ agentId, leaf }, leafIndex) => ({
      agentId,
      agentKey: leaf.agentKey,
      leaf,
      leafIndex,
      path: tree.path(leafIndex).map(toHex),
    })),
  };
}

function agentLeaf({ agentId, firstSequence, leaves }: AgentEvents, sha256: Sha256): AgentWindowLeaf {
  const { count, root } = 'root' in leaves ? leaves : { count: leaves.length, root: merkleRoot(leaves, sha256) };
  if (count < 1) throw new RangeError('an agent without events has no leaf in a window');
  return {
    agentKey: agentKey(agentId, sha256),
    count,
    firstSequence,
    lastSequence: firstSequence + count - 1,
    agentRoot: toHex(root),
  };
}

/** Bytes of a path of lower-case hashes; `null` where one of them is not. */
export function pathBytes(path: readonly string[]): Uint8Array[] | null {
  const bytes: Uint8Array[] = [];
  for (const text of path) {
    const hash = fromHex(text);
    if (hash === null) return null;
    bytes.push(hash);
  }
  return bytes;
}
