import type { PackageContent, SignedPackage } from '@countersign/contracts';
import { reportMemo, windowMemo, type WindowMemo } from '../chain/memo.js';
import type { Sha256 } from '../crypto.js';
import { assemblePackage } from '../package/assemble.js';
import { contentHash, VERIFICATION_FIELDS } from '../package/canonical.js';
import { publicKeyToPem } from '../signature/public-key.js';
import { MerkleTree } from '../merkle/tree.js';
import type { ChainTransaction } from '../verify/options.js';
import type { ProblemCode, UnsettledCode, Vouched } from '../verify/result.js';
import { absenceProof } from '../window/absence.js';
import { agentKey, windowLeafHash } from '../window/window-tree.js';
import { airlineStory, refundDrafts, seatDrafts, storyAgentOf } from './airline-story.js';
import { hashOfJson, STORY_START, storySignature } from './events.js';
import {
  issueStory,
  type IssuedStory,
  NETWORK,
  seal,
  type Story,
  type StoryKey,
  WINDOW_SECONDS,
} from './story-package.js';
import type { Surroundings } from './surroundings.js';
import type { Loose } from './tampered.js';

/** A package, and the authority's transactions in addition to those that it names. */
export interface WalkCase {
  readonly name: string;
  readonly description: string;
  readonly make: (key: StoryKey, sha256: Sha256) => { readonly pkg: SignedPackage; readonly around: Surroundings };
  readonly expected?: ProblemCode;
  readonly vouched?: Partial<Vouched>;
  /** For cases that are `ok`. */
  readonly unsettled?: readonly UnsettledCode[];
}

const HOUR = 3600;
const at = (seconds: number): string => new Date(STORY_START + seconds * 1000).toISOString();

/** All agents of one owner: no other owner has events in these windows. */
function desks(sha256: Sha256, over: Partial<Story> = {}): Story {
  return {
    agents: [
      storyAgentOf('Seating', 1, [0, 0, 1, 1, 2], seatDrafts, sha256),
      storyAgentOf('Meals', 1, [0, 1], refundDrafts, sha256),
    ],
    otherAgents: 0,
    range: { from: at(0), to: at(1800) },
    anchored: true,
    controls: [],
    ...over,
  };
}

interface Stage {
  readonly issued: IssuedStory;
  readonly around: Surroundings;
  readonly sha256: Sha256;
  /** Adds a transaction of the authority to the chain. */
  readonly send: (name: string, memo: Partial<WindowMemo>, change?: Partial<ChainTransaction>) => void;
  /** Changes the transaction of a listed window. */
  readonly change: (window: number, change: Partial<ChainTransaction>) => void;
}

function scene(story: (sha256: Sha256) => Story, play: (stage: Stage) => void = () => undefined): WalkCase['make'] {
  return (key, sha256) => {
    const issued = issueStory(story(sha256), key, sha256);
    const around: Surroundings = {
      key: { pem: publicKeyToPem(key.publicKey), status: 'active', validFrom: null, validTo: null },
      withoutKey: false,
      authorities: [issued.authority],
      network: NETWORK,
      transactions: JSON.parse(JSON.stringify(issued.transactions)) as Surroundings['transactions'],
    };
    const { transactions } = around;
    play({
      issued,
      around,
      sha256,
      send(name, memo, change = {}) {
        const root = hashOfJson(name, sha256);
        const whole = { root, prev: null, windowStart: at(0), durationSeconds: WINDOW_SECONDS, agents: 1, events: 1 };
        transactions[storySignature(name, sha256)] = {
          succeeded: true,
          finalized: true,
          signers: [issued.authority.address],
          memos: [windowMemo({ ...whole, ...memo })],
          blockTime: at(1100),
          blockHeight: 1100,
          slot: 1117,
          confirmations: null,
          ...change,
        };
      },
      change(window, change) {
        const signature = storySignature(`window ${window}`, sha256);
        transactions[signature] = { ...(transactions[signature] as ChainTransaction), ...change };
      },
    });
    return { pkg: issued.pkg, around: walked(issued, around) };
  };
}

/**
 * The whole story on the chain, and a package of which the issuer changed something before it was signed and anchored.
 */
function reissued(change: (content: Loose, agentIds: readonly string[]) => void): WalkCase['make'] {
  return (key, sha256) => {
    const { pkg, around } = scene(desks)(key, sha256);
    const { timestamp, ...signed } = JSON.parse(JSON.stringify(pkg));
    for (const field of VERIFICATION_FIELDS) delete signed[field];
    change(
      signed,
      pkg.agents.map(({ id }) => id),
    );
    const content = assemblePackage(signed as PackageContent);
    const message = reportMemo(contentHash(content, sha256));
    const report = around.transactions[timestamp.anchor_tx_signature] as ChainTransaction;
    around.transactions[timestamp.anchor_tx_signature] = { ...report, memos: [message] };
    return { pkg: seal(content, { ...timestamp, message }, key, sha256), around };
  };
}

/** Lists what is on the chain, newest first, unless the case has made a list of its own. */
function walked(issued: IssuedStory, around: Surroundings): Surroundings {
  if ('walks' in around) return around;
  const listed = Object.entries(around.transactions)
    .filter((entry): entry is [string, ChainTransaction] => typeof entry[1] === 'object')
    .map(([signature, { succeeded, blockTime, memos }]) => ({ signature, succeeded, blockTime, memos }))
    .sort((a, b) => (b.blockTime ?? '').localeCompare(a.blockTime ?? '') || a.signature.localeCompare(b.signature));
  return { ...around, walks: [{ address: issued.authority.address, complete: true, listed }] };
}

/** Cut: the package of a story without its last part, on a chain that holds all of it. */
function cut(
  whole: (sha256: Sha256) => Story,
  left: (sha256: Sha256) => Story,
  play?: (stage: Stage, all: IssuedStory) => void,
): WalkCase['make'] {
  return (key, sha256) => {
    const all = issueStory(whole(sha256), key, sha256);
    return scene(left, (stage) => {
      const windows = Object.entries(all.transactions).filter(([signature]) =>
        all.trees.some(({ anchor }) => anchor.txSignature === signature),
      );
      for (const [signature, answer] of windows) stage.around.transactions[signature] ??= answer;
      play?.(stage, all);
    })(key, sha256);
  };
}

function absences(all: IssuedStory, window: number, agentIds: readonly string[], sha256: Sha256): unknown[] {
  const { tree, anchor } = all.trees[window]!;
  const hashes = new MerkleTree(
    tree.agents.map(({ leaf }) => windowLeafHash(leaf, sha256)),
    sha256,
  );
  return agentIds.map((agentId) => {
    const position = tree.agents.filter((agent) => agent.agentKey < agentKey(agentId, sha256)).length;
    const leafAt = (i: number) => tree.agents[i]?.leaf ?? null;
    const proof = absenceProof(
      agentId,
      hashes,
      position,
      { before: leafAt(position - 1), after: leafAt(position) },
      anchor,
      sha256,
    );
    return JSON.parse(JSON.stringify(proof)) as unknown;
  });
}

/** With an agent of another owner, in the third window only. */
const withOther = (sha256: Sha256): Story => {
  const story = ending(sha256);
  return { ...story, agents: [...story.agents, storyAgentOf('Other', 1, [2, 2], refundDrafts, sha256)] };
};
const ending = (sha256: Sha256): Story =>
  desks(sha256, {
    agents: [
      storyAgentOf('Seating', 1, [0, 0, 1, 1], seatDrafts, sha256),
      storyAgentOf('Meals', 1, [0, 1], refundDrafts, sha256),
    ],
  });
const rootOf = ({ issued }: Stage, window: number): string => issued.trees[window]!.tree.merkleRoot;
const label = (window: number): Pick<WindowMemo, 'windowStart'> => ({ windowStart: at(window * WINDOW_SECONDS) });
const idsOf = ({ issued }: Stage): string[] => issued.pkg.agents.map(({ id }) => id);
const dated = (sha256: Sha256, ms: number): Story => {
  const story = desks(sha256);
  const agents = story.agents.map((agent) => ({
    ...agent,
    events: agent.events.map((event) => {
      const occurredAt = new Date(Date.parse(event.leaf.occurredAt) + ms).toISOString();
      return { ...event, leaf: { ...event.leaf, occurredAt } };
    }),
  }));
  return { ...story, agents, range: { from: at(ms / 1000), to: at(1800) } };
};

export const WALK_CASES: readonly WalkCase[] = [
  {
    name: 'valid',
    description: 'All agents of all windows are listed, and the authority sent nothing else.',
    make: scene(desks),
    unsettled: [],
  },
  {
    name: 'left-out',
    description: 'Nobody read what else the authority sent.',
    make: scene(desks, ({ around }) => (around.walks = undefined)),
    unsettled: ['chain-not-walked'],
  },
  {
    name: 'not-complete',
    description: "The list of the authority's transactions ends before the first window.",
    make: scene(desks, ({ around, issued }) => {
      around.walks = [{ address: issued.authority.address, complete: false, listed: [] }];
    }),
    unsettled: ['chain-not-walked'],
  },
  {
    name: 'lacks-a-window',
    description: 'The node’s list lacks a transaction that the package names, and says that it is whole.',
    make: scene(desks, ({ around, issued }) => {
      around.walks = [{ address: issued.authority.address, complete: true, listed: [] }];
    }),
    unsettled: ['chain-not-walked'],
  },
  {
    name: 'no-authority',
    description: 'No authority is given: nobody can say whose other transactions there are.',
    make: scene(desks, ({ around }) => {
      around.authorities = null;
      around.walks = undefined;
    }),
    vouched: { anchor: false },
    unsettled: [],
  },
  {
    name: 'second-root',
    description: 'The authority had anchored another root for the second window: it was written anew.',
    make: scene(desks, (stage) => stage.send('first', { ...label(1), prev: rootOf(stage, 0) }, { blockTime: at(700) })),
    expected: 'window-equivocated',
  },
  {
    name: 'second-root-unlisted',
    description: 'Two roots for a window of the range that the package does not list.',
    make: scene(desks, (stage) => {
      stage.send('one', { ...label(3), prev: rootOf(stage, 2) });
      stage.send('other', { ...label(3), prev: hashOfJson('one', stage.sha256) });
    }),
    expected: 'window-equivocated',
  },
  {
    name: 'second-root-of-stranger',
    description: 'Somebody else names the authority in a transaction with another root: it is not signed by it.',
    make: scene(desks, (stage) =>
      stage.send(
        'first',
        { ...label(1), prev: rootOf(stage, 0) },
        { signers: ['Stranger11111111111111111111111111111111111'] },
      ),
    ),
    unsettled: [],
  },
  {
    name: 'second-root-failed',
    description: 'A failed transaction holds another root: nothing was anchored.',
    make: scene(desks, (stage) => stage.send('first', { ...label(1), prev: rootOf(stage, 0) }, { succeeded: false })),
    unsettled: [],
  },
  {
    name: 'second-root-unread',
    description: 'A memo with another root is listed, and no node answered for its transaction.',
    make: (key, sha256) => {
      const made = scene(desks, (stage) => stage.send('first', { ...label(1), prev: rootOf(stage, 0) }))(key, sha256);
      made.around.transactions[storySignature('first', sha256)] = 'unavailable';
      return made;
    },
    unsettled: ['chain-not-walked', 'window-unlisted'],
  },
  {
    name: 'same-memo-twice',
    description: 'The same memo was sent twice: it counts once.',
    make: scene(desks, ({ issued, around, sha256 }) => {
      const first = around.transactions[issued.trees[1]!.anchor.txSignature] as ChainTransaction;
      around.transactions[storySignature('again', sha256)] = { ...first, blockTime: at(1200) };
    }),
    unsettled: [],
  },
  {
    name: 'same-root-other-label',
    description: 'The authority anchored the root of the second window under another label too.',
    make: scene(desks, (stage) => stage.send('moved', { ...label(4), root: rootOf(stage, 1), prev: rootOf(stage, 2) })),
    expected: 'window-equivocated',
  },
  {
    name: 'fork',
    description: 'Another window of the range follows the same one as a listed window does.',
    make: scene(desks, (stage) => stage.send('fork', { ...label(4), prev: rootOf(stage, 0) })),
    expected: 'window-forked',
  },
  {
    name: 'order',
    description: 'By prev the second window was closed before the first, whose numbers are lower.',
    make: scene(desks, (stage) => {
      const memo = (window: number, prev: number | null): string => {
        const { tree } = stage.issued.trees[window]!;
        return windowMemo({
          root: tree.merkleRoot,
          prev: prev === null ? null : rootOf(stage, prev),
          ...label(window),
          durationSeconds: WINDOW_SECONDS,
          agents: tree.treeSize,
          events: tree.eventCount,
        });
      };
      stage.change(0, { memos: [memo(0, 1)] });
      stage.change(1, { memos: [memo(1, null)] });
      stage.change(2, { memos: [memo(2, 0)] });
    }),
    expected: 'window-order-differs',
  },
  {
    name: 'gap',
    description: 'The window before the third is on no transaction, though prev names it.',
    make: scene(desks, (stage) => {
      const { tree } = stage.issued.trees[2]!;
      const memo = { root: tree.merkleRoot, prev: 'ab'.repeat(32), ...label(2), durationSeconds: WINDOW_SECONDS };
      stage.change(2, { memos: [windowMemo({ ...memo, agents: tree.treeSize, events: tree.eventCount })] });
    }),
    unsettled: ['chain-gap'],
  },
  {
    name: 'tail-cut',
    description: 'The last event of an agent is left out, and its window with it.',
    make: cut(desks, ending),
    unsettled: ['window-unlisted'],
  },
  {
    name: 'tail-cut-of-one-agent',
    description: 'The last event of an agent is left out of a window that the package lists for another agent.',
    make: reissued((content, [, meals]) => {
      const gone = content.events.findIndex(({ event, sequence }: Loose) => event.agentId === meals && sequence === 2);
      content.events.splice(gone, 1);
      content.inclusionProofs.splice(gone, 1);
      content.windows = content.windows.filter(
        ({ agentId, leaf }: Loose) => agentId !== meals || leaf.lastSequence === 1,
      );
      const agent = content.agents.find(({ id }: Loose) => id === meals);
      Object.assign(agent, { lastSequence: 1, count: 1, anchors: agent.anchors.slice(0, 1) });
    }),
    unsettled: ['window-unlisted'],
  },
  {
    name: 'window-of-others',
    description: 'A later window of the range is not listed: it may hold events of the agents.',
    make: cut(withOther, ending),
    unsettled: ['window-unlisted'],
  },
  {
    name: 'window-of-others-absence',
    description: 'The same, with proofs that no agent of the package had an event in it.',
    make: cut(
      withOther,
      ending,
      (stage, all) => (stage.around.absences = absences(all, 2, idsOf(stage), stage.sha256)),
    ),
    unsettled: [],
  },
  {
    name: 'window-of-others-absence-of-one',
    description: 'The same, with a proof for one of the two agents.',
    make: cut(withOther, ending, (stage, all) => {
      stage.around.absences = absences(all, 2, idsOf(stage).slice(0, 1), stage.sha256);
    }),
    unsettled: ['window-unlisted'],
  },
  {
    name: 'window-of-others-absence-wrong',
    description: 'The same, with proofs that do not hold.',
    make: cut(withOther, ending, (stage, all) => {
      const proofs = absences(all, 2, idsOf(stage), stage.sha256);
      stage.around.absences = proofs.map((proof) => ({ ...(proof as object), treeSize: 2 }));
    }),
    unsettled: ['window-unlisted'],
  },
  {
    name: 'agents-left-out',
    description: 'The package lists one agent of two, in each of its windows: of the other nothing is said.',
    make: reissued((content, [, meals]) => {
      const kept = content.events.map(({ event }: Loose) => event.agentId !== meals);
      content.events = content.events.filter((_: Loose, i: number) => kept[i]);
      content.inclusionProofs = content.inclusionProofs.filter((_: Loose, i: number) => kept[i]);
      content.windows = content.windows.filter(({ agentId }: Loose) => agentId !== meals);
      content.agents = content.agents.filter(({ id }: Loose) => id !== meals);
    }),
    unsettled: [],
  },
  {
    name: 'before-the-first',
    description: 'An earlier window of the range is not listed: the agents begin with number 1 after it.',
    make: scene(desks, (stage) => {
      stage.send('before', { windowStart: at(0), durationSeconds: 60 }, { blockTime: at(61) });
    }),
    unsettled: [],
  },
  {
    name: 'before-the-first-number',
    description: 'The same of an agent that begins with number 3: the package may leave out its first events.',
    make: scene(
      (sha256) => ({
        ...desks(sha256),
        agents: [storyAgentOf('Seating', 3, [1, 1, 2, 2, 2], seatDrafts, sha256)],
        range: { from: at(0), to: at(1800) },
      }),
      (stage) => stage.send('before', { windowStart: at(0), durationSeconds: 60 }, { blockTime: at(61) }),
    ),
    unsettled: ['window-unlisted'],
  },
  {
    name: 'other-duration-after',
    description: 'A window of another duration was anchored after the last listed one.',
    make: scene(desks, (stage) =>
      stage.send('long', { windowStart: at(600), durationSeconds: 600 }, { blockTime: at(1201) }),
    ),
    unsettled: ['window-unlisted'],
  },
  {
    name: 'outside-the-range',
    description: 'A window of another duration before the range, and one after it, are not listed.',
    make: scene(desks, (stage) => {
      stage.send('early', { windowStart: at(-60), durationSeconds: 60 }, { blockTime: at(1) });
      stage.send('after', { ...label(6), prev: rootOf(stage, 2) }, { blockTime: at(2101) });
    }),
    unsettled: [],
  },
  {
    name: 'over-the-end',
    description: 'A window that reaches beyond the range was anchored before the report, and is not listed.',
    make: scene(
      (sha256) => desks(sha256, { range: { from: at(0), to: at(1000) } }),
      (stage) => stage.send('over', { ...label(3), prev: rootOf(stage, 2) }, { blockTime: at(1201) }),
    ),
    unsettled: ['window-unlisted'],
  },
  {
    name: 'over-the-end-later',
    description: 'A window that reaches beyond the range was anchored after the report: it could not be listed.',
    make: scene(
      (sha256) => desks(sha256, { range: { from: at(0), to: at(1000) } }),
      (stage) => stage.send('over', { ...label(3), prev: rootOf(stage, 2) }, { blockTime: at(5001) }),
    ),
    unsettled: [],
  },
  {
    name: 'in-range-later',
    description: 'A window that lies wholly in the range was anchored after the report: its events were known then.',
    make: scene(desks, (stage) => stage.send('held', { ...label(3), prev: rootOf(stage, 2) }, { blockTime: at(5001) })),
    unsettled: ['window-unlisted'],
  },
  {
    name: 'nothing-anchored',
    description: 'No event is said to be anchored, while the authority anchored windows in the range.',
    make: cut(desks, (sha256) => {
      const story = desks(sha256);
      return { ...story, agents: story.agents.map((agent) => ({ ...agent, windows: agent.windows.map(() => null) })) };
    }),
    unsettled: ['window-unlisted'],
  },
  {
    name: 'late',
    description: 'The windows were anchored a year after they ended: they may have been written then.',
    make: scene(desks, ({ change }) => {
      for (const window of [0, 1, 2]) change(window, { blockTime: at(365 * 24 * HOUR + window) });
    }),
    unsettled: ['window-late', 'event-late'],
  },
  {
    name: 'late-by-the-bound',
    description: 'A window was anchored an hour and its duration after its end, not later.',
    make: scene(desks, ({ change }) => change(0, { blockTime: at(300 + HOUR + WINDOW_SECONDS) })),
    unsettled: [],
  },
  {
    name: 'late-by-a-second',
    description: 'A window was anchored a second later than that.',
    make: scene(desks, ({ change }) => change(0, { blockTime: at(300 + HOUR + WINDOW_SECONDS + 1) })),
    unsettled: ['window-late'],
  },
  {
    name: 'events-late',
    description: 'The events are dated a day before the windows that hold them.',
    make: scene((sha256) => dated(sha256, -24 * HOUR * 1000)),
    unsettled: ['event-late'],
  },
  {
    name: 'events-ahead',
    description: 'A clock was ahead: an event is dated after the block that holds its window.',
    make: scene((sha256) => ({ ...airlineStory(sha256), otherAgents: 0 })),
    unsettled: ['event-ahead'],
  },
  {
    name: 'early-by-the-tolerance',
    description: 'A block time is five minutes before the end of the window: the clock of the chain may lag so far.',
    make: scene(desks, ({ change }) => change(2, { blockTime: at(900 - 300) })),
    unsettled: [],
  },
  {
    name: 'early',
    description: 'A block time is more than five minutes before the end of the window.',
    make: scene(desks, ({ change }) => change(2, { blockTime: at(900 - 301) })),
    expected: 'transaction-early',
  },
  {
    name: 'no-time',
    description: 'The node keeps no block time of a window.',
    make: scene(desks, ({ change }) => change(1, { blockTime: null })),
    unsettled: ['time-unknown'],
  },
  {
    name: 'no-time-before-1970',
    description: 'A node gives a block time before 1970, which no block has: it is not known.',
    make: scene(desks, ({ change }) => change(1, { blockTime: '1969-12-31T23:59:59.000Z' })),
    unsettled: ['time-unknown'],
  },
];
