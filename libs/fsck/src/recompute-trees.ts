import { agentKey, CompactRange, sameBytes, toHex, windowLeafHash } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { LAYOUT } from './layout.js';
import type { Store } from './open-stores.js';
import type { Check } from './report.js';

interface WindowRow {
  readonly n: number;
  readonly id: string;
  readonly root: string | null;
  readonly agentCount: number | null;
  readonly eventCount: number | null;
  /** Roots of its tiles; `null`: it has one, or an earlier release closed it. */
  readonly tileRoots: Buffer | null;
}

interface AgentRow {
  readonly leafIndex: number;
  readonly agentN: number;
  readonly first: number;
  readonly last: number;
  readonly root: Buffer;
  readonly id: string | null;
  readonly key: Buffer | null;
}

interface Segment {
  readonly first: number;
  readonly hashes: Buffer;
}

const HASH_BYTES = 32;
/** Leaves of a tile: as anchoring keeps them. */
const TILE_LEAVES = 1024;
const { sha256 } = nodeCrypto;

/** Builds each closed window anew from the stored leaf hashes, which the log was compared with. */
export function recomputeTrees(anchors: Store, check: Check): void {
  const windows = anchors.prepare<[], WindowRow>(
    `SELECT n, id, root, agent_count AS agentCount, event_count AS eventCount, ${tileRootsIn(anchors)} AS tileRoots
     FROM windows WHERE state = 'closed' ORDER BY n`,
  );
  const agents = anchors.prepare<[number], AgentRow>(
    `SELECT p.leaf_index AS leafIndex, p.agent_n AS agentN, p.first_sequence AS first, p.last_sequence AS last, p.root,
       a.id, a.key FROM window_agents p LEFT JOIN agents a ON a.n = p.agent_n WHERE p.window_n = ? ORDER BY p.leaf_index`,
  );
  const kept = anchors
    .prepare<[number], Buffer>('SELECT hashes FROM window_leaves WHERE window_n = ? ORDER BY first_index')
    .pluck();
  const roots = agentRoots(anchors);
  for (const window of windows.iterate()) {
    check.examined += 1;
    const wrong = (problem: string): void => check.wrong(`${LAYOUT.anchors} windows ${window.id}`, problem);
    const tree = new CompactRange(sha256);
    const tiles = new TileRoots();
    const leaves = chunked(kept.iterate(window.n));
    let events = 0;
    let previousKey = '';
    for (const row of agents.iterate(window.n)) {
      const count = row.last - row.first + 1;
      const key = row.key?.toString('hex') ?? '';
      const who = `agent ${row.id ?? `number ${row.agentN}`}`;
      if (row.leafIndex !== tree.size) wrong(`${who} stands at ${row.leafIndex}, its place is ${tree.size}`);
      if (row.id === null || key !== agentKey(row.id, sha256)) wrong(`the key of ${who} is not the hash of its id`);
      if (key <= previousKey) wrong(`${who} does not stand in the order of keys`);
      const agentRoot = roots(row.agentN, row.first, row.last);
      if (agentRoot === null) wrong(`leaf hashes of ${who} between ${row.first} and ${row.last} are missing`);
      else if (!row.root.equals(agentRoot)) wrong(`the root of ${who} is not the one of its leaves`);
      const leaf = { agentKey: key, count, firstSequence: row.first, lastSequence: row.last };
      const hash = windowLeafHash({ ...leaf, agentRoot: toHex(agentRoot ?? row.root) }, sha256);
      if (leaves.next().value?.equals(hash) !== true) wrong(`the stored leaf of ${who} is not the one computed`);
      tree.append(hash);
      tiles.append(hash);
      events += count;
      previousKey = key;
    }
    if (leaves.next().done !== true) wrong('more leaves are stored than agents');
    leaves.return(undefined);
    if (tree.size === 0) wrong('it is closed and holds no agent');
    if (window.root !== toHex(tree.root())) wrong(`its root ${window.root} is not the one of its agents`);
    if (window.tileRoots !== null && !sameBytes(window.tileRoots, tiles.roots())) {
      wrong('the roots that are kept of its tiles are not theirs');
    }
    if (window.agentCount !== tree.size) wrong(`it says ${window.agentCount} agents and has ${tree.size}`);
    if (window.eventCount !== events) wrong(`it says ${window.eventCount} events and has ${events}`);
  }
}

/** A store that no start of this release has opened has no such column. */
function tileRootsIn(anchors: Store): string {
  const named = anchors.prepare(`SELECT 1 FROM pragma_table_info('windows') WHERE name = 'tile_roots'`).get();
  return named === undefined ? 'NULL' : 'tile_roots';
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

/** Roots over runs of an agent's leaf hashes; `null` where one is missing. */
function agentRoots(anchors: Store): (agentN: number, first: number, last: number) => Uint8Array | null {
  const segments = anchors.prepare<[number, number, number, number], Segment>(
    `SELECT first_sequence AS first, hashes FROM segments WHERE agent_n = ? AND first_sequence >= coalesce((SELECT
       max(first_sequence) FROM segments WHERE agent_n = ? AND first_sequence <= ?), 0) AND first_sequence <= ?
     ORDER BY first_sequence`,
  );
  return (agentN, first, last) => {
    const tree = new CompactRange(sha256);
    let next = first;
    for (const segment of segments.iterate(agentN, agentN, first, last)) {
      const end = segment.first + segment.hashes.length / HASH_BYTES;
      if (segment.first > next) break;
      for (; next < end && next <= last; next += 1) {
        const at = (next - segment.first) * HASH_BYTES;
        tree.append(Uint8Array.from(segment.hashes.subarray(at, at + HASH_BYTES)));
      }
    }
    return next === last + 1 ? tree.root() : null;
  };
}

function* chunked(parts: Iterable<Buffer>): Generator<Buffer, undefined> {
  for (const part of parts) {
    for (let at = 0; at < part.length; at += HASH_BYTES) yield part.subarray(at, at + HASH_BYTES);
  }
}
