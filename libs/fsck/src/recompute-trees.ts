import type {
  AnchorInspection,
  InspectedAgent,
  InspectedRun,
  InspectedSegment,
  InspectedWindow,
} from '@countersign/anchoring';
import { agentKey, CompactRange, sameBytes, toHex, windowLeafHash } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { LAYOUT } from './layout.js';
import { OrderedRows } from './ordered-rows.js';
import type { Check } from './report.js';
import { ScratchSet } from './scratch.js';

const HASH_BYTES = 32;
/** Leaves of a tile: as anchoring keeps them. */
const TILE_LEAVES = 1024;
const { sha256 } = nodeCrypto;

type Trees = Pick<AnchorInspection, 'agents' | 'windows' | 'windowAgents' | 'windowLeaves' | 'runs' | 'segments'>;
type Agents = ReadonlyMap<number, InspectedAgent>;

/** Computes the tree of each closed window again from the stored leaf hashes, which the log was compared with. */
export async function recomputeTrees(anchors: Trees, check: Check): Promise<void> {
  const agents = await agentsByNumber(anchors);
  for (const { agentId, key } of agents.values()) {
    if (key !== null && toHex(key) !== agentKey(agentId, sha256))
      check.wrong(`${LAYOUT.anchors} agents ${agentId}`, 'its key is not the hash of its id');
  }
  const closed = new ScratchSet();
  try {
    for await (const window of anchors.windows()) {
      if (!window.isClosed) continue;
      closed.add(window.windowId);
      check.examined += 1;
      await recomputeWindow(anchors, window, agents, check);
    }
    await recomputeAgentRoots(anchors, agents, closed, check);
  } finally {
    closed.close();
  }
}

/** The agents of anchoring's store by their numbers. */
export async function agentsByNumber(anchors: Pick<AnchorInspection, 'agents'>): Promise<Agents> {
  const agents = new Map<number, InspectedAgent>();
  for await (const agent of anchors.agents()) agents.set(agent.n, agent);
  return agents;
}

async function recomputeWindow(anchors: Trees, window: InspectedWindow, agents: Agents, check: Check): Promise<void> {
  const wrong = (problem: string): void => check.wrong(`${LAYOUT.anchors} windows ${window.windowId}`, problem);
  const tree = new CompactRange(sha256);
  const tiles = new TileRoots();
  const leaves = chunked(anchors.windowLeaves(window.windowId));
  let events = 0;
  let previousKey = '';
  for await (const row of anchors.windowAgents(window.windowId)) {
    const { agentN, firstSequence, lastSequence } = row;
    const count = lastSequence - firstSequence + 1;
    const agent = agents.get(agentN);
    const key = toHex(agent?.key ?? new Uint8Array(0));
    const who = nameOf(agentN, agents);
    if (row.leafIndex !== tree.size) wrong(`${who} stands at ${row.leafIndex}, its place is ${tree.size}`);
    if (agent === undefined || key !== agentKey(agent.agentId, sha256))
      wrong(`the key of ${who} is not the hash of its id`);
    if (key <= previousKey) wrong(`${who} does not stand in the order of keys`);
    const leaf = { agentKey: key, count, firstSequence, lastSequence };
    const hash = windowLeafHash({ ...leaf, agentRoot: toHex(row.root) }, sha256);
    const stored = await leaves.next();
    if (stored.done === true || !sameBytes(stored.value, hash))
      wrong(`the stored leaf of ${who} is not the one computed`);
    tree.append(hash);
    tiles.append(hash);
    events += count;
    previousKey = key;
  }
  if ((await leaves.next()).done !== true) wrong('more leaves are stored than agents');
  await leaves.return(undefined);
  if (tree.size === 0) wrong('it is closed and holds no agent');
  if (window.root !== toHex(tree.root())) wrong(`its root ${window.root} is not the one of its agents`);
  if (window.tileRoots !== null && !sameBytes(window.tileRoots, tiles.roots()))
    wrong('the stored roots of its tiles are not theirs');
  if (window.agentCount !== tree.size) wrong(`it says ${window.agentCount} agents and has ${tree.size}`);
  if (window.eventCount !== events) wrong(`it says ${window.eventCount} events and has ${events}`);
}

/** The root of each agent in each closed window, from the agent's leaf hashes. */
async function recomputeAgentRoots(anchors: Trees, agents: Agents, closed: ScratchSet, check: Check): Promise<void> {
  const segments = await OrderedRows.of(anchors.segments());
  try {
    for await (const run of anchors.runs()) {
      if (run.windowId === null || !closed.has(run.windowId)) continue;
      const root = await rootOf(run, segments);
      const wrong = (problem: string): void => check.wrong(`${LAYOUT.anchors} windows ${run.windowId}`, problem);
      const who = nameOf(run.agentN, agents);
      if (root === null)
        wrong(`leaf hashes of ${who} between ${run.firstSequence} and ${run.lastSequence} are missing`);
      else if (!sameBytes(root, run.root)) wrong(`the root of ${who} is not the one of its leaves`);
    }
  } finally {
    await segments.close();
  }
}

/** Root over the leaf hashes of a run; `null` where one is missing. */
async function rootOf(run: InspectedRun, segments: OrderedRows<InspectedSegment>): Promise<Uint8Array | null> {
  const { agentN, firstSequence, lastSequence } = run;
  const tree = new CompactRange(sha256);
  let next = firstSequence;
  while (next <= lastSequence) {
    const segment = await segments.skipTo((one) => one.agentN > agentN || (one.agentN === agentN && next < endOf(one)));
    if (segment === null || segment.agentN !== agentN || segment.firstSequence > next) return null;
    for (const end = endOf(segment); next < end && next <= lastSequence; next += 1) {
      const at = (next - segment.firstSequence) * HASH_BYTES;
      tree.append(Uint8Array.from(segment.hashes.subarray(at, at + HASH_BYTES)));
    }
  }
  return tree.root();
}

function endOf({ firstSequence, hashes }: InspectedSegment): number {
  return firstSequence + Math.floor(hashes.length / HASH_BYTES);
}

function nameOf(agentN: number, agents: Agents): string {
  return `agent ${agents.get(agentN)?.agentId ?? `number ${agentN}`}`;
}

class TileRoots {
  readonly #roots: Uint8Array[] = [];
  #tile = new CompactRange(sha256);

  append(hash: Uint8Array): void {
    this.#tile.append(hash);
    if (this.#tile.size < TILE_LEAVES) return;
    this.#roots.push(this.#tile.root());
    this.#tile = new CompactRange(sha256);
  }

  roots(): Uint8Array {
    return Buffer.concat(this.#tile.size === 0 ? this.#roots : [...this.#roots, this.#tile.root()]);
  }
}

async function* chunked(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  for await (const part of parts) {
    for (let at = 0; at < part.length; at += HASH_BYTES) yield part.subarray(at, at + HASH_BYTES);
  }
}
