import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { proofSource } from '../prove/proof-source.js';
import { openSqliteAnchorStore } from '../store/sqlite.js';
import { arrivingLeaf, FIRST_MS } from '../testing/leaves.js';
import { agentId } from '../testing/envelopes.js';
import { WindowCloser } from './window-closer.js';

/**
 * Closes one window of many events over many agents, then proves single events of it, and prints the figures as JSON:
 * `node large-window.bench.js EVENTS AGENTS`. `bareMs`: as many SHA-256 of 65 bytes as the trees have nodes.
 */
const [events = 1_000_000, agents = 100_000] = process.argv.slice(2).map(Number);
const BATCH = 20_000;
const PROOFS = 200;
const { sha256 } = nodeCrypto;

const directory = mkdtempSync(join(tmpdir(), 'large-window-'));
try {
  const store = openSqliteAnchorStore(join(directory, 'anchors.db'), sha256);
  await store.lead(new AbortController().signal);
  const takenMs = await timed(async () => {
    for (let n = 0; n < events; n += BATCH) {
      const leaves = Array.from({ length: Math.min(BATCH, events - n) }, (_, i) =>
        arrivingLeaf(n + i, (n + i) % agents),
      );
      await store.takeLeaves(leaves, { topic: 'agent-events', partition: 0, next: n + leaves.length });
    }
  });
  await store.cut([{ cadenceSeconds: 1, startMs: FIRST_MS, endMs: FIRST_MS + 1000 }], { 0: events });
  await store.completeCut();
  await store.markCutsPublished((await store.unpublishedCuts(1)).map(({ windowId }) => windowId));
  const before = process.memoryUsage.rss();
  let highest = before;
  const watching = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 20);
  let windowId = '';
  const closedMs = await timed(async () => {
    const closed = await new WindowCloser(store, sha256).closeNext();
    if (closed?.eventCount !== events || closed.agentCount !== agents) throw new Error('the window lacks events');
    windowId = closed.windowId;
  });
  clearInterval(watching);
  const anchoredAt = new Date(FIRST_MS + 2000).toISOString();
  const where = { network: 'solana:localnet', signature: 'signature', authority: 'authority' };
  await store.saveAnchored(`window:${windowId}`, { ...where, slot: 1, blockHeight: 1, anchoredAt });

  const source = proofSource(store, sha256);
  const prove = (n: number): Promise<number> =>
    timed(async () => {
      const sequence = Math.floor(n / agents) + 1;
      const [window] = await source.windows(agentId(n % agents), sequence, sequence);
      if (window === undefined) throw new Error('there is no proof');
      await source.leafHashes(agentId(n % agents), window.leaf.firstSequence, window.leaf.lastSequence);
    });
  const firstProofMs = await prove(0);
  const proofs: number[] = [];
  for (let i = 1; i <= PROOFS; i++) proofs.push(await prove((i * 7919 * 31) % events));
  proofs.sort((a, b) => a - b);
  const bareMs = await timed(async () => {
    const node = Buffer.alloc(65, 1);
    for (let i = 0; i < events + 2 * agents; i++) createHash('sha256').update(node).digest();
  });
  const figures = {
    events,
    agents,
    takenMs,
    closedMs,
    bareMs,
    firstProofMs,
    proofMs: proofs[PROOFS >> 1],
    slowestProofMs: proofs.at(-1),
    residentMiB: highest / 2 ** 20,
    residentBeforeMiB: before / 2 ** 20,
  };
  console.log(JSON.stringify(figures));
  await store.close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
