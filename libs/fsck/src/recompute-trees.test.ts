import { createHash } from 'node:crypto';
import type { AnchorInspection, InspectedSegment, InspectedWindow } from '@countersign/anchoring';
import { agentKey, merkleRoot, toHex, windowLeafHash } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { recomputeTrees } from './recompute-trees.js';
import { Report } from './report.js';

const { sha256 } = nodeCrypto;
const AGENTS = 1_500;
const TILE = 1_024;

type Trees = Parameters<typeof recomputeTrees>[0];

/** A store with one closed window, in which each agent has one event. */
function storeOfOneWindow(
  tileRoots: (leaves: readonly Uint8Array[]) => Uint8Array | null,
  change: (segments: InspectedSegment[]) => void = () => undefined,
): Trees {
  const agents = Array.from({ length: AGENTS }, (_, n) => {
    const agentId = `agent ${n}`;
    const root = createHash('sha256').update(agentId).digest();
    return { n, agentId, key: Buffer.from(agentKey(agentId, sha256), 'hex'), lastSequence: 1, root };
  });
  const segments = agents.map(({ n, root }): InspectedSegment => ({ agentN: n, firstSequence: 1, hashes: root }));
  change(segments);
  const rows = [...agents]
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ n, key, root }, leafIndex) => ({ leafIndex, agentN: n, firstSequence: 1, lastSequence: 1, root, key }));
  const leaves = rows.map(({ key, root }) =>
    windowLeafHash(
      { agentKey: toHex(key), count: 1, firstSequence: 1, lastSequence: 1, agentRoot: toHex(root) },
      sha256,
    ),
  );
  const window = {
    windowId: '1-1',
    isClosed: true,
    root: toHex(merkleRoot(leaves, sha256)),
    agentCount: AGENTS,
    eventCount: AGENTS,
    tileRoots: tileRoots(leaves),
  } as InspectedWindow;
  return {
    agents: () => stream(agents),
    windows: () => stream([window]),
    windowAgents: () => stream(rows),
    windowLeaves: () => stream([Buffer.concat(leaves.slice(0, TILE)), Buffer.concat(leaves.slice(TILE))]),
    runs: () => stream([...rows].sort((a, b) => a.agentN - b.agentN).map((row) => ({ windowId: '1-1', ...row }))),
    segments: () => stream(segments),
  } satisfies Partial<AnchorInspection>;
}

async function* stream<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows;
}

async function findings(store: Trees): Promise<readonly string[]> {
  const report = new Report();
  await recomputeTrees(store, report.check('trees', 'windows', 'none'));
  return report.checks.flatMap((check) => check.findings.map(({ problem }) => problem));
}

describe('the trees of a window', () => {
  it.each<readonly [string, (segments: InspectedSegment[]) => void, string]>([
    [
      'a leaf hash was changed',
      (all) => (all[7] = { ...all[7]!, hashes: new Uint8Array(32) }),
      'the root of agent agent 7 is not the one of its leaves',
    ],
    ['a segment was removed', (all) => all.splice(7, 1), 'leaf hashes of agent agent 7 between 1 and 1 are missing'],
    [
      'a segment was moved',
      (all) => (all[7] = { ...all[7]!, firstSequence: 2 }),
      'leaf hashes of agent agent 7 between 1 and 1 are missing',
    ],
  ])('are not those of the leaves where %s', async (_what, change, problem) => {
    expect(await findings(storeOfOneWindow(() => null, change))).toEqual([problem]);
  });
});

describe('the roots that are kept of a window’s tiles', () => {
  const rootsOf = (leaves: readonly Uint8Array[]): Uint8Array =>
    Buffer.concat([merkleRoot(leaves.slice(0, TILE), sha256), merkleRoot(leaves.slice(TILE), sha256)]);

  it('are those of its leaves, or are not kept', async () => {
    expect(await findings(storeOfOneWindow(rootsOf))).toEqual([]);
    expect(await findings(storeOfOneWindow(() => null))).toEqual([]);
  });

  it('are named where they were changed', async () => {
    const changed = storeOfOneWindow((leaves) => rootsOf(leaves).map((byte, n) => (n === 40 ? byte ^ 1 : byte)));
    expect(await findings(changed)).toEqual(['the stored roots of its tiles are not theirs']);
    const shorter = storeOfOneWindow((leaves) => rootsOf(leaves).subarray(32));
    expect(await findings(shorter)).toHaveLength(1);
  });
});
