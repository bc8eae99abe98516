import type { AnchoredProof, PackageWindow, SignedPackage } from '@countersign/contracts';
import type { VerifyOptions } from './options.js';
import { windowLeafHash } from '../window/window-tree.js';
import { rootHex } from './event-proof.js';
import { counted, type Findings } from './findings.js';
import type { CheckedEntry, VerdictCache } from './package-entries.js';

/**
 * Checks the anchored windows: each leads to its root, the proofs agree with them, and each agent's continue without a
 * gap.
 */
export function checkWindows(
  pkg: SignedPackage,
  entries: readonly CheckedEntry[],
  options: VerifyOptions,
  cache: VerdictCache,
  findings: Findings,
): void {
  const byId = new Map<string, PackageWindow>();
  const sizes = new Map<string, number>();
  pkg.windows.forEach((window, i) => {
    const path = `windows[${i}]`;
    const id = windowId(window.agentId, window.merkleRoot, window.leaf.firstSequence);
    if (byId.has(id)) findings.problem('window-differs', path, 'The window is listed twice.');
    byId.set(id, window);
    checkWindow(window, path, sizes, options, cache, findings);
  });
  checkProofs(entries, byId, findings);
  checkContinuity(pkg, findings);
  checkAnchorLists(pkg, options, findings);
  if (pkg.windows.length > 0) {
    findings.checked.push(
      `${counted(pkg.windows.length, 'anchored window')}: each leads to its root, without a gap between`,
    );
  }
}

function windowId(agentId: string, merkleRoot: string, firstSequence: number): string {
  return `${agentId} ${merkleRoot} ${firstSequence}`;
}

function checkWindow(
  window: PackageWindow,
  path: string,
  sizes: Map<string, number>,
  { crypto }: VerifyOptions,
  cache: VerdictCache,
  findings: Findings,
): void {
  const { leaf, leafIndex, treeSize, merkleRoot } = window;
  if (leaf.agentKey !== cache.agentKey(window.agentId)) {
    findings.problem('window-differs', `${path}.leaf.agentKey`, 'The window is that of another agent.');
  }
  const root = rootHex(windowLeafHash(leaf, crypto.sha256), leafIndex, treeSize, window.path, crypto.sha256);
  if (root !== merkleRoot) {
    findings.problem('window-root-differs', path, "The agent's leaf does not lead to the root of the window.");
  }
  if ((sizes.get(merkleRoot) ?? treeSize) !== treeSize) {
    findings.problem('window-differs', `${path}.treeSize`, 'The same root is given two sizes.');
  }
  sizes.set(merkleRoot, treeSize);
}

/** Checks that each anchored proof names a listed window and agrees with it. */
function checkProofs(
  entries: readonly CheckedEntry[],
  byId: ReadonlyMap<string, PackageWindow>,
  findings: Findings,
): void {
  const named = new Set<PackageWindow>();
  for (const { index, leaf, proof } of entries) {
    if (proof === null || !proof.anchored) continue;
    const window = byId.get(windowId(leaf.agentId, proof.merkleRoot, proof.agent.firstSequence));
    const path = `inclusionProofs[${index}]`;
    if (window === undefined) {
      findings.problem('window-missing', path, 'The window of the proof is not listed.', leaf.eventId);
    } else if (!agrees(window, proof)) {
      findings.problem('window-differs', path, 'The window of the proof is listed otherwise.', leaf.eventId);
    } else named.add(window);
  }
  for (const window of byId.values()) {
    if (named.has(window)) continue;
    const { agentId, windowStart } = window;
    findings.problem('window-differs', 'windows', `No proof names the window ${windowStart} of agent ${agentId}.`);
  }
}

function agrees(window: PackageWindow, proof: AnchoredProof): boolean {
  const { agent } = proof;
  return (
    window.txSignature === proof.txSignature &&
    window.network === proof.network &&
    window.windowStart === proof.windowStart &&
    window.windowEnd === proof.windowEnd &&
    window.leafIndex === agent.leafIndex &&
    window.treeSize === agent.treeSize &&
    window.leaf.count === proof.treeSize &&
    window.leaf.lastSequence === agent.lastSequence &&
    window.leaf.agentRoot === agent.agentRoot
  );
}

function checkContinuity(pkg: SignedPackage, findings: Findings): void {
  const byAgent = new Map<string, PackageWindow[]>();
  for (const window of pkg.windows) {
    const list = byAgent.get(window.agentId);
    if (list === undefined) byAgent.set(window.agentId, [window]);
    else list.push(window);
  }
  for (const [agentId, windows] of byAgent) {
    windows.sort((a, b) => a.leaf.firstSequence - b.leaf.firstSequence);
    for (let i = 1; i < windows.length; i += 1) {
      const before = windows[i - 1]!;
      const after = windows[i]!;
      if (after.leaf.firstSequence === before.leaf.lastSequence + 1) continue;
      const message = `The windows ${before.windowStart} and ${after.windowStart} of agent ${agentId} do not meet.`;
      findings.problem('window-gap', 'windows', message);
    }
  }
}

/** Checks that `agents[i].anchors` agrees with the listed windows, and its heights with the chain. */
function checkAnchorLists(pkg: SignedPackage, { chain }: VerifyOptions, findings: Findings): void {
  const windows = new Map(pkg.windows.map((window) => [`${window.agentId} ${window.txSignature}`, window]));
  pkg.agents.forEach((agent, i) => {
    agent.anchors.forEach((anchor, j) => {
      const path = `agents[${i}].anchors[${j}]`;
      const window = windows.get(`${agent.id} ${anchor.chain_tx_signature}`);
      const same =
        window === undefined ||
        (anchor.merkle_root === window.merkleRoot &&
          anchor.window_start === window.windowStart &&
          anchor.window_end === window.windowEnd);
      if (!same) findings.problem('anchor-list-differs', path, 'The anchor is not that of the listed window.');
      const answer = chain?.transactions.get(anchor.chain_tx_signature);
      const height = typeof answer === 'object' ? answer.blockHeight : null;
      if (height !== null && height !== anchor.chain_block_height) {
        findings.problem('transaction-height-differs', path, 'The chain gives the transaction another block height.');
      }
    });
  });
}
