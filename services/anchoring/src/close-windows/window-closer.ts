import { setImmediate as turn } from 'node:timers/promises';
import { CompactRange, merkleRoot, toHex, windowLeafHash, windowMemo, type Sha256 } from '@countersign/evidence';
import { TILE_LEAVES } from '../domain/window-tiles.js';
import { AgentFold, WindowDamaged, type Segment } from '../domain/agent-fold.js';
import type { AnchorStore, ClosedWindow, CutWindow, LeafCursor, WindowAgentRow } from '../store/port.js';

/** Leaves read, agents asked for or handed on, in one turn of the event loop. */
const LEAVES = 2_000;
const AGENTS = 1_000;
/** Hashes held in memory before they are written: 64 MiB. */
const BUFFERED_LEAVES = 2_097_152;
const SWEPT = 5_000;

interface FoldedWindow {
  readonly closed: ClosedWindow;
  /** `null` where it has one tile. */
  readonly tileRoots: Uint8Array | null;
}

interface KeyedFold {
  readonly agentN: number;
  readonly key: Uint8Array;
  readonly fold: AgentFold;
}

/**
 * Closes cut windows, oldest first: folds each agent's leaves into its tree, the agents into the window's tree, and
 * stores both. It gives the event loop back every few milliseconds, whatever the number of agents.
 */
export class WindowCloser {
  readonly #store: AnchorStore;
  readonly #sha256: Sha256;
  readonly #tileLeaves: number;

  constructor(store: AnchorStore, sha256: Sha256, tileLeaves = TILE_LEAVES) {
    this.#store = store;
    this.#sha256 = sha256;
    this.#tileLeaves = tileLeaves;
  }

  /** Closes one window; `null` when none is cut. @throws WindowDamaged where the store lost or changed a leaf */
  async closeNext(): Promise<ClosedWindow | null> {
    const cut = await this.#store.nextToClose();
    if (cut === null) return null;
    const folds = await this.#foldAgents(cut);
    const { closed, tileRoots } = await this.#foldWindow(cut, folds);
    await this.#store.closeWindow(closed, memoOf(closed), tileRoots);
    return closed;
  }

  /** Drops what closed windows no longer need. */
  async sweep(): Promise<void> {
    while (await this.#store.sweep(SWEPT)) await turn();
  }

  async #foldAgents(cut: CutWindow): Promise<Map<number, AgentFold>> {
    const folds = new Map<number, AgentFold>();
    let filled: Segment[] = [];
    let buffered = 0;
    let from: LeafCursor | null = null;
    do {
      const page = await this.#store.readLeaves(cut, from, LEAVES);
      for (const { agentN, sequence, hash } of page.leaves) {
        let fold = folds.get(agentN);
        if (fold === undefined) {
          fold = new AgentFold(agentN, sequence, this.#sha256);
          folds.set(agentN, fold);
        }
        const segment = fold.add(sequence, hash);
        if (segment !== null) filled.push(segment);
      }
      buffered += page.leaves.length;
      from = page.next;
      await this.#store.saveSegments(cut.windowId, filled);
      filled = [];
      if (buffered >= BUFFERED_LEAVES) {
        await this.#saveBuffered(cut, folds);
        buffered = 0;
      }
      await turn();
    } while (from !== null);
    await this.#saveBuffered(cut, folds);
    return folds;
  }

  async #saveBuffered(cut: CutWindow, folds: ReadonlyMap<number, AgentFold>): Promise<void> {
    let segments: Segment[] = [];
    for (const fold of folds.values()) {
      const segment = fold.take();
      if (segment !== null) segments.push(segment);
      if (segments.length < AGENTS) continue;
      await this.#store.saveSegments(cut.windowId, segments);
      segments = [];
      await turn();
    }
    await this.#store.saveSegments(cut.windowId, segments);
  }

  async #foldWindow(cut: CutWindow, folds: ReadonlyMap<number, AgentFold>): Promise<FoldedWindow> {
    if (folds.size === 0) throw new WindowDamaged(`window ${cut.windowId} was cut with leaves and has none`);
    const tiles: Uint8Array[] = [];
    let tile = new CompactRange(this.#sha256);
    let eventCount = 0;
    let leafIndex = 0;
    let rows: WindowAgentRow[] = [];
    let hashes: Uint8Array[] = [];
    const save = async (): Promise<void> => {
      await this.#store.saveWindowAgents(cut.windowId, rows, Buffer.concat(hashes));
      tiles.push(tile.root());
      tile = new CompactRange(this.#sha256);
      [rows, hashes] = [[], []];
      await turn();
    };
    for (const bucket of await this.#byKey(folds)) {
      for (const { agentN, key, fold } of bucket) {
        const { firstSequence, lastSequence } = fold;
        const root = fold.root();
        const count = lastSequence - firstSequence + 1;
        const leaf = { agentKey: toHex(key), count, firstSequence, lastSequence, agentRoot: toHex(root) };
        const hash = windowLeafHash(leaf, this.#sha256);
        tile.append(hash);
        hashes.push(hash);
        rows.push({ leafIndex, agentN, firstSequence, lastSequence, root });
        eventCount += count;
        leafIndex += 1;
        if (rows.length === this.#tileLeaves) await save();
      }
    }
    if (rows.length > 0) await save();
    const { windowId, cadenceSeconds, startMs, endMs } = cut;
    const prev = await this.#store.previousRoot(cut);
    // Tiles are of a power of two: the tree over their roots has the root of the tree over all leaves.
    const root = toHex(merkleRoot(tiles, this.#sha256));
    const closed = {
      windowId,
      cadenceSeconds,
      startMs,
      endMs,
      merkleRoot: root,
      prev,
      agentCount: leafIndex,
      eventCount,
    };
    return { closed, tileRoots: tiles.length > 1 ? Buffer.concat(tiles) : null };
  }

  /** Agents in the order of their keys, in buckets by the first byte, so that no sort is long. */
  async #byKey(folds: ReadonlyMap<number, AgentFold>): Promise<readonly KeyedFold[][]> {
    const buckets: KeyedFold[][] = Array.from({ length: 256 }, () => []);
    const numbers = [...folds.keys()];
    for (let from = 0; from < numbers.length; from += AGENTS) {
      const some = numbers.slice(from, from + AGENTS);
      const keys = await this.#store.agentKeys(some);
      for (const [i, key] of keys.entries()) {
        const agentN = some[i]!;
        buckets[key[0]!]!.push({ agentN, key, fold: folds.get(agentN)! });
      }
      await turn();
    }
    for (const bucket of buckets) bucket.sort((a, b) => Buffer.compare(a.key, b.key));
    return buckets.filter((bucket) => bucket.length > 0);
  }
}

/** The memo of the window's transaction. */
export function memoOf(window: ClosedWindow): string {
  return windowMemo({
    root: window.merkleRoot,
    prev: window.prev,
    windowStart: new Date(window.startMs).toISOString(),
    durationSeconds: window.cadenceSeconds,
    agents: window.agentCount,
    events: window.eventCount,
  });
}
