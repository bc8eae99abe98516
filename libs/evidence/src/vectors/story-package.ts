import type {
  AnchorAuthority,
  InclusionProof,
  PackageAgent,
  PackageContent,
  PackageControl,
  PackageEvent,
  PackageRedecision,
  PackageTimestamp,
  PackageWindow,
  ReportedOutcome,
  SignedPackage,
} from '@countersign/contracts';
import { windowMemo } from '../chain/memo.js';
import type { Sha256 } from '../crypto.js';
import { leafHashOf } from '../leaf/canonical-leaf.js';
import { MerkleTree } from '../merkle/tree.js';
import { assemblePackage, packageTimestamp, signPackage } from '../package/assemble.js';
import { contentHash } from '../package/canonical.js';
import { eventStatus, namesDataScope } from '../package/event-status.js';
import { keyId } from '../signature/public-key.js';
import type { ChainAnswer, ChainTransaction } from '../verify/options.js';
import { CLOCK_TOLERANCE_SECONDS } from '../verify/time-bounds.js';
import { proofFor, unanchored } from '../window/proof.js';
import type { AnchoredRoot } from '../window/absence.js';
import { type AgentEvents, windowTree, type WindowTree } from '../window/window-tree.js';
import { bytesOf, storySignature, storyUuid, STORY_START, type StoryEvent } from './events.js';

export interface StoryKey {
  readonly publicKey: Uint8Array;
  readonly sign: (bytes: Uint8Array) => Uint8Array;
}

export interface StoryAgent {
  readonly id: string;
  readonly name: string;
  /** Sequence of the first event. */
  readonly firstSequence: number;
  readonly events: readonly StoryEvent[];
  /** Number of the window of each event, never decreasing; `null` is not anchored yet. */
  readonly windows: readonly (number | null)[];
}

export interface Story {
  readonly agents: readonly StoryAgent[];
  /** Number of other owners' agents in each window, whose leaves surround these. */
  readonly otherAgents: number;
  readonly range: { readonly from: string; readonly to: string };
  /** `false`: issued before the report's transaction was final. */
  readonly anchored: boolean;
  readonly controls: readonly Omit<PackageControl, 'status'>[];
}

export const NETWORK = 'solana:devnet';
export const WINDOW_SECONDS = 300;
export const ISSUED_AT = '2026-03-02T12:00:00.000Z';

export interface IssuedStory {
  readonly pkg: SignedPackage;
  readonly transactions: Readonly<Record<string, ChainAnswer>>;
  readonly authority: AnchorAuthority;
  /** Tree and anchor of each window, in their order. */
  readonly trees: readonly { readonly tree: WindowTree; readonly anchor: AnchoredRoot }[];
}

export function storyAuthority(sha256: Sha256): AnchorAuthority {
  return {
    address: storySignature('authority', sha256).slice(0, 44),
    network: NETWORK,
    validFrom: null,
    validTo: null,
  };
}

/** Windows, trees, proofs, statuses, summary, anchor and signature of a story. */
export function issueStory(story: Story, key: StoryKey, sha256: Sha256, redecision?: PackageRedecision): IssuedStory {
  const authority = storyAuthority(sha256);
  const transactions: Record<string, ChainAnswer> = {};
  const { proofs, windows, trees } = anchorStory(story, authority, transactions, sha256);
  const events = storyEntries(story);
  const content = assemblePackage({
    reportId: storyUuid('report', STORY_START + 7_200_000, sha256),
    generator: { name: 'countersign', version: '1.0.0' },
    range: story.range,
    frameworks: ['soc2', 'euaiact'],
    mapping: { version: '2026-03', sha256: hex64('mapping', sha256) },
    scope: { soc2: { categories: ['security'] }, hipaa: null, euaiact: null, nydfs: null },
    statements: [{ framework: 'soc2', text: 'Statuses describe individual events.' }],
    anchorAuthorities: [authority],
    agents: story.agents.map((agent) => storyAgent(agent, windows)),
    events,
    inclusionProofs: proofs,
    windows,
    ...(redecision === undefined ? {} : { redecision }),
  });
  const timestamp = anchorReport(content, story, authority, transactions, sha256);
  return { pkg: seal(content, timestamp, key, sha256), transactions, authority, trees };
}

/** Signs a content again, so that the verifier reaches what was changed in it. */
export function seal(
  content: PackageContent,
  timestamp: PackageTimestamp,
  key: StoryKey,
  sha256: Sha256,
): SignedPackage {
  const publicKeyUrl = `https://countersign.example/v1/keys/${keyId(key.publicKey, sha256)}`;
  return signPackage(content, timestamp, { publicKeyUrl, sign: key.sign }, sha256);
}

function hex64(label: string, sha256: Sha256): string {
  return [...bytesOf(label, 32, sha256)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function anchorReport(
  content: PackageContent,
  story: Story,
  authority: AnchorAuthority,
  transactions: Record<string, ChainAnswer>,
  sha256: Sha256,
): PackageTimestamp {
  const txSignature = storySignature('report transaction', sha256);
  const anchor = story.anchored ? { network: NETWORK, txSignature, blockHeight: 5000 } : null;
  const timestamp = packageTimestamp(contentHash(content, sha256), ISSUED_AT, anchor);
  if (anchor !== null) transactions[txSignature] = transaction(timestamp.message, 5000, authority);
  return timestamp;
}

function transaction(memo: string, blockHeight: number, authority: AnchorAuthority, earliestMs = 0): ChainTransaction {
  return {
    succeeded: true,
    finalized: true,
    signers: [authority.address],
    memos: [memo],
    blockTime: new Date(Math.max(STORY_START + blockHeight * 1000, earliestMs)).toISOString(),
    blockHeight,
    slot: blockHeight + 17,
    confirmations: null,
  };
}

function storyEntries(story: Story): PackageEvent[] {
  const all = story.agents.flatMap((agent) =>
    agent.events.map((event, i) => ({ ...event, sequence: agent.firstSequence + i })),
  );
  const byId = new Map<string | null, StoryEvent>(all.map((event) => [event.leaf.eventId, event]));
  const byReference = new Map<string | null, StoryEvent[]>();
  for (const event of all.filter(({ leaf }) => leaf.refersTo !== null)) {
    byReference.set(event.leaf.refersTo, [...(byReference.get(event.leaf.refersTo) ?? []), event]);
  }
  return all.map(({ leaf, openings, erased, sequence }) => {
    const outside = leaf.occurredAt < story.range.from || leaf.occurredAt >= story.range.to;
    const referring = byReference.get(leaf.eventId) ?? [];
    const verdict = eventStatus({
      event: leaf,
      holds: true,
      reported: referring
        .filter((other) => other.leaf.type === 'action.outcome')
        .map((other) => other.leaf.outcome as ReportedOutcome),
      unanswered: referring.some((other) => other.leaf.type === 'action.unanswered'),
      referred: byId.get(leaf.refersTo)?.leaf ?? null,
      dataScope: namesDataScope(openings.action?.value),
    });
    return {
      event: leaf,
      sequence,
      opened: openings,
      ...(erased === true ? { erased } : {}),
      ...(outside ? { outsideRange: true as const } : {}),
      ...verdict,
      controls: story.controls.map((control) => ({ ...control, status: verdict.status })),
    };
  });
}

function anchorStory(
  story: Story,
  authority: AnchorAuthority,
  transactions: Record<string, ChainAnswer>,
  sha256: Sha256,
): { proofs: InclusionProof[]; windows: PackageWindow[]; trees: IssuedStory['trees'] } {
  const proofs = new Map<string, InclusionProof>();
  const windows: PackageWindow[] = [];
  const trees: { tree: WindowTree; anchor: AnchoredRoot }[] = [];
  const numbers = new Set(story.agents.flatMap((agent) => agent.windows.filter((number) => number !== null)));
  let prev: string | null = null;
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const parts = story.agents
      .map((agent) => ({ agent, at: agent.windows.flatMap((window, i) => (window === number ? [i] : [])) }))
      .filter(({ at }) => at.length > 0)
      .map(({ agent, at }) => ({
        agentId: agent.id,
        firstSequence: agent.firstSequence + at[0]!,
        events: at.map((i) => agent.events[i]!.leaf),
        leaves: at.map((i) => leafHashOf(agent.events[i]!.leaf, sha256)),
      }));
    const others: AgentEvents[] = Array.from({ length: story.otherAgents }, (_, i) => ({
      agentId: storyUuid(`neighbour ${i}`, STORY_START, sha256),
      firstSequence: 1 + i,
      leaves: { count: 1 + (i % 3), root: bytesOf(`neighbour root ${number} ${i}`, 32, sha256) },
    }));
    const tree = windowTree([...parts, ...others], sha256);
    const start = STORY_START + number * WINDOW_SECONDS * 1000;
    const anchored = {
      windowStart: new Date(start).toISOString(),
      windowEnd: new Date(start + WINDOW_SECONDS * 1000).toISOString(),
      merkleRoot: tree.merkleRoot,
      txSignature: storySignature(`window ${number}`, sha256),
      network: NETWORK,
    };
    for (const part of parts) {
      const agent = tree.agents.find(({ agentId }) => agentId === part.agentId)!;
      const where = {
        ...anchored,
        leaf: agent.leaf,
        leafIndex: agent.leafIndex,
        treeSize: tree.treeSize,
        path: agent.path,
      };
      windows.push({ agentId: part.agentId, ...where });
      const agentTree = new MerkleTree(part.leaves, sha256);
      part.events.forEach(({ eventId }, i) => {
        proofs.set(eventId, proofFor({ eventId, sequence: part.firstSequence + i }, agentTree, where));
      });
    }
    const memo = windowMemo({
      root: tree.merkleRoot,
      prev,
      windowStart: anchored.windowStart,
      durationSeconds: WINDOW_SECONDS,
      agents: tree.treeSize,
      events: tree.eventCount,
    });
    // The clock of this story's chain lags by the tolerated maximum.
    const earliest = Date.parse(anchored.windowEnd) - CLOCK_TOLERANCE_SECONDS * 1000;
    transactions[anchored.txSignature] = transaction(memo, 1000 + number, authority, earliest);
    trees.push({ tree, anchor: anchored });
    prev = tree.merkleRoot;
  }
  const ordered = story.agents.flatMap((agent) =>
    agent.events.map(({ leaf }) => proofs.get(leaf.eventId) ?? unanchored(leaf.eventId)),
  );
  return { proofs: ordered, windows, trees };
}

function storyAgent(agent: StoryAgent, windows: readonly PackageWindow[]): PackageAgent {
  const count = agent.events.length;
  return {
    id: agent.id,
    name: agent.name,
    type: 'assistant',
    purpose: null,
    version: null,
    status: 'active',
    blockchain_ssn: null,
    wallet_address: null,
    chain_tx_signature: null,
    firstSequence: count === 0 ? null : agent.firstSequence,
    lastSequence: count === 0 ? null : agent.firstSequence + count - 1,
    count,
    anchors: windows
      .filter(({ agentId }) => agentId === agent.id)
      .map((window) => ({
        merkle_root: window.merkleRoot,
        chain_tx_signature: window.txSignature,
        chain_block_height: 1000 + (Date.parse(window.windowStart) - STORY_START) / (WINDOW_SECONDS * 1000),
        anchored_at: window.windowEnd,
        window_start: window.windowStart,
        window_end: window.windowEnd,
      })),
  };
}
