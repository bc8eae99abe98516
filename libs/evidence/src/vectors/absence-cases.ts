import type { AnchorAuthority } from '@countersign/contracts';
import { windowMemo } from '../chain/memo.js';
import type { Sha256 } from '../crypto.js';
import { MerkleTree } from '../merkle/tree.js';
import type { ChainAnswer } from '../verify/options.js';
import type { ProblemCode } from '../verify/result.js';
import { absenceProof, type AbsenceProof, type AnchoredRoot } from '../window/absence.js';
import { agentKey, windowLeafHash, windowTree, type WindowAgent, type WindowTree } from '../window/window-tree.js';
import { bytesOf, storySignature, storyUuid, STORY_START } from './events.js';
import { NETWORK, WINDOW_SECONDS } from './story-package.js';
import type { Surroundings } from './surroundings.js';
import type { Loose } from './tampered.js';

/** A window of several agents, and agents that had no event in it. */
export interface AbsenceStory {
  readonly tree: WindowTree;
  readonly window: AnchoredRoot;
  /** An agent that is in the window. */
  readonly present: WindowAgent;
  /** Agents that are not: before all others, between two, after all others. */
  readonly absent: { readonly first: string; readonly between: string; readonly last: string };
  proofOf(agentId: string): AbsenceProof;
  readonly transactions: Readonly<Record<string, ChainAnswer>>;
}

const AGENTS = 5;

export function absenceStory(authority: AnchorAuthority, sha256: Sha256, agents = AGENTS): AbsenceStory {
  const ids = Array.from({ length: agents }, (_, i) => storyUuid(`present ${i}`, STORY_START, sha256));
  const tree = windowTree(
    ids.map((agentId, i) => ({
      agentId,
      firstSequence: 1 + 10 * i,
      leaves: { count: 1 + i, root: bytesOf(`present root ${i}`, 32, sha256) },
    })),
    sha256,
  );
  const window = {
    merkleRoot: tree.merkleRoot,
    txSignature: storySignature('absence window', sha256),
    network: NETWORK,
    windowStart: new Date(STORY_START).toISOString(),
    windowEnd: new Date(STORY_START + WINDOW_SECONDS * 1000).toISOString(),
  };
  const hashes = new MerkleTree(
    tree.agents.map(({ leaf }) => windowLeafHash(leaf, sha256)),
    sha256,
  );
  const proofOf = (agentId: string): AbsenceProof => {
    const position = tree.agents.filter((agent) => agent.agentKey < agentKey(agentId, sha256)).length;
    const leafAt = (i: number) => tree.agents[i]?.leaf ?? null;
    return absenceProof(
      agentId,
      hashes,
      position,
      { before: leafAt(position - 1), after: leafAt(position) },
      window,
      sha256,
    );
  };
  const memo = windowMemo({
    root: tree.merkleRoot,
    prev: null,
    windowStart: window.windowStart,
    durationSeconds: WINDOW_SECONDS,
    agents: tree.treeSize,
    events: tree.eventCount,
  });
  const transaction: ChainAnswer = {
    succeeded: true,
    finalized: true,
    signers: [authority.address],
    memos: [memo],
    blockTime: new Date(STORY_START + 1_000_000).toISOString(),
    blockHeight: 1000,
    slot: 1017,
    confirmations: null,
  };
  return {
    tree,
    window,
    present: tree.agents[Math.floor(agents / 2)]!,
    absent: absentIds(tree, sha256),
    proofOf,
    transactions: { [window.txSignature]: transaction },
  };
}

/** Made-up ids, until there is one for each position. */
function absentIds(tree: WindowTree, sha256: Sha256): AbsenceStory['absent'] {
  const found = new Map<number, string>();
  const middle = Math.floor(tree.treeSize / 2);
  for (let i = 0; !(found.has(0) && found.has(middle) && found.has(tree.treeSize)); i += 1) {
    const id = storyUuid(`absent ${i}`, STORY_START, sha256);
    const position = tree.agents.filter((agent) => agent.agentKey < agentKey(id, sha256)).length;
    if (!found.has(position)) found.set(position, id);
  }
  return { first: found.get(0)!, between: found.get(middle)!, last: found.get(tree.treeSize)! };
}

export interface AbsenceCase {
  readonly name: string;
  readonly description: string;
  /** Gives the proof, as plain data; may change its surroundings. */
  readonly make: (story: AbsenceStory, around: Surroundings) => Loose;
  readonly expected: ProblemCode | null;
}

const between = (story: AbsenceStory): Loose => plain(story.proofOf(story.absent.between));

function plain(value: unknown): Loose {
  return JSON.parse(JSON.stringify(value));
}

function changed(change: (proof: Loose, story: AbsenceStory, around: Surroundings) => void): AbsenceCase['make'] {
  return (story, around) => {
    const proof = between(story);
    change(proof, story, around);
    return proof;
  };
}

/** A proof of absence by itself. */
export const ABSENCE_CASES: readonly AbsenceCase[] = [
  { name: 'valid', description: 'An agent between two neighbours.', make: between, expected: null },
  {
    name: 'valid-with-proofs',
    description: 'A member that packages have was added: the transaction of the proof is asked for all the same.',
    make: changed((proof) => (proof.inclusionProofs = [])),
    expected: null,
  },
  {
    name: 'valid-first',
    description: 'An agent that would come before all others.',
    make: (story) => plain(story.proofOf(story.absent.first)),
    expected: null,
  },
  {
    name: 'valid-last',
    description: 'An agent that would come after all others.',
    make: (story) => plain(story.proofOf(story.absent.last)),
    expected: null,
  },
  {
    name: 'no-answer',
    description: 'The chain does not answer: nothing is wrong, and the chain is named as not checked.',
    make: changed((proof, _story, around) => (around.transactions[proof.txSignature] = 'unavailable')),
    expected: null,
  },
  {
    name: 'no-neighbours',
    description: 'No neighbour at all: a window without events has no tree.',
    make: changed((proof) => Object.assign(proof, { before: null, after: null })),
    expected: 'absence-neighbours-apart',
  },
  {
    name: 'size-as-text',
    description: 'A member has not its form.',
    make: changed((proof) => (proof.treeSize = '5')),
    expected: 'absence-form',
  },
  {
    name: 'other-agent',
    description: 'The proof of one agent under the id of another.',
    make: changed((proof, story) => (proof.agentId = story.present.agentId)),
    expected: 'absence-agent-differs',
  },
  {
    name: 'agent-present',
    description: 'An agent that is in the window, said to be absent: it is its own neighbour.',
    make: changed((proof, { present }) =>
      Object.assign(proof, { agentId: present.agentId, agentKey: present.agentKey, before: neighbourOf(present) }),
    ),
    expected: 'absence-order-differs',
  },
  {
    name: 'present-skipped',
    description:
      'An agent that is in the window, said to be absent: its neighbours are shown, and it stands between them.',
    make: (story) => {
      const { present, tree } = story;
      const beside = (by: number) => neighbourOf(tree.agents[present.leafIndex + by]!);
      const { agentId, agentKey: key } = present;
      return plain({ ...between(story), agentId, agentKey: key, before: beside(-1), after: beside(1) });
    },
    expected: 'absence-neighbours-apart',
  },
  {
    name: 'present-skipped-renumbered',
    description: 'The same, with the place of the neighbour after it moved by one.',
    make: (story) => {
      const { present, tree } = story;
      const before = neighbourOf(tree.agents[present.leafIndex - 1]!);
      const after = { ...neighbourOf(tree.agents[present.leafIndex + 1]!), leafIndex: present.leafIndex };
      const { agentId, agentKey: key } = present;
      return plain({ ...between(story), agentId, agentKey: key, before, after });
    },
    expected: 'absence-root-differs',
  },
  {
    name: 'elsewhere',
    description: 'Two neighbours that are next to each other, at another place.',
    make: changed((proof, { tree }) =>
      Object.assign(proof, { before: neighbourOf(tree.agents[0]!), after: neighbourOf(tree.agents[1]!) }),
    ),
    expected: 'absence-order-differs',
  },
  {
    name: 'end-claimed',
    description: 'The window is said to end before the agent.',
    make: changed((proof) => (proof.after = null)),
    expected: 'absence-neighbours-apart',
  },
  {
    name: 'end-claimed-by-size',
    description: 'The window is said to end before the agent, and to be so much smaller.',
    make: changed((proof) => Object.assign(proof, { after: null, treeSize: proof.before.leafIndex + 1 })),
    expected: 'absence-root-differs',
  },
  {
    name: 'neighbour-count',
    description: 'A neighbour is said to have had one event more.',
    make: changed((proof) => {
      proof.before.leaf.count += 1;
      proof.before.leaf.lastSequence += 1;
    }),
    expected: 'absence-root-differs',
  },
  {
    name: 'path-hash',
    description: 'A hash of a path is another.',
    make: changed((proof, story) => (proof.after.path[0] = story.tree.merkleRoot)),
    expected: 'absence-root-differs',
  },
  {
    name: 'other-root',
    description: 'The transaction of the window holds another root.',
    make: changed((proof, _story, around) => {
      const transaction = around.transactions[proof.txSignature] as Loose;
      transaction.memos = [transaction.memos[0].replace(/root=[0-9a-f]{64}/, `root=${'0'.repeat(64)}`)];
    }),
    expected: 'transaction-root-differs',
  },
  {
    name: 'other-size',
    description: 'The transaction of the window names another number of agents: another end of the window.',
    make: changed((proof, _story, around) => {
      const transaction = around.transactions[proof.txSignature] as Loose;
      transaction.memos = [transaction.memos[0].replace('agents=5', 'agents=6')];
    }),
    expected: 'transaction-size-differs',
  },
  {
    name: 'other-window',
    description: 'The proof of one window under the label of the next.',
    make: changed((proof) => {
      const next = (time: string): string => new Date(Date.parse(time) + WINDOW_SECONDS * 1000).toISOString();
      Object.assign(proof, { windowStart: next(proof.windowStart), windowEnd: next(proof.windowEnd) });
    }),
    expected: 'transaction-window-differs',
  },
  {
    name: 'stranger',
    description: 'The transaction of the window was signed by nobody known.',
    make: changed((proof, _story, around) => ((around.transactions[proof.txSignature] as Loose).signers = ['1111'])),
    expected: 'transaction-authority',
  },
];

function neighbourOf({ leaf, leafIndex, path }: WindowAgent): Loose {
  return { leaf, leafIndex, path };
}
