import { WindowDamaged } from '../domain/agent-fold.js';
import type { Collections, WindowDocument } from './mongo-collections.js';
import { cutWindow } from './mongo-cuts.js';
import type { MongoJournal } from './mongo-journal.js';
import type { MongoLeaves } from './mongo-leaves.js';
import { put } from './mongo-put.js';
import type { MongoRoot } from './mongo-root.js';
import { binary, bytesOf } from './mongo-rows.js';
import { LeadEnded, type AnchorStore, type ClosedWindow } from './port.js';

type WindowMethods =
  | 'nextToClose'
  | 'readLeaves'
  | 'saveSegments'
  | 'agentKeys'
  | 'saveWindowAgents'
  | 'previousRoot'
  | 'closeWindow'
  | 'closedWindow'
  | 'rootAt'
  | 'windowAgents'
  | 'leafHashes'
  | 'windowLeafHashes'
  | 'windowTileRoots'
  | 'windowTile';

const HASH_BYTES = 32;

/** The window once it is closed; `null` before. */
export function closedWindowOf(document: WindowDocument): ClosedWindow | null {
  const { _id: windowId, cadence: cadenceSeconds, startMs, endMs, root, prev, agentCount, eventCount } = document;
  if (root === undefined || prev === undefined || agentCount === undefined || eventCount === undefined) return null;
  return { windowId, cadenceSeconds, startMs, endMs, merkleRoot: root, prev, agentCount, eventCount };
}

function tileId(windowId: string, firstIndex: number): string {
  return `${windowId}:${firstIndex}`;
}

/**
 * Windows from their cut to their closing, and what is kept of them. A closing writes the same documents under the same
 * ids however often it is repeated; the window's own document ends it.
 */
export function mongoWindows(
  root: MongoRoot,
  leaves: MongoLeaves,
  journal: MongoJournal,
  { agents, segments, windows, windowAgents, windowLeaves }: Collections,
): Pick<AnchorStore, WindowMethods> {
  const agentNumber = async (agentId: string): Promise<number | null> =>
    (await agents.findOne({ _id: agentId }, { projection: { n: 1 } }))?.n ?? null;

  /** Removes leaves that an interrupted closing of an earlier release left: it kept them in pieces of another size. */
  const dropOthers = async (windowId: string, size: number): Promise<void> => {
    const there = await windowLeaves.find({ windowId }, { projection: { firstIndex: 1 } }).toArray();
    const others = there.filter(({ firstIndex }) => firstIndex % size !== 0).map(({ _id }) => _id);
    if (others.length > 0) await windowLeaves.deleteMany({ _id: { $in: others } });
  };

  return {
    async nextToClose() {
      const [window] = await windows.find({ todo: 'close' }).sort({ n: 1 }).limit(1).toArray();
      return window === undefined ? null : cutWindow(window);
    },

    readLeaves: (window, from, limit) => journal.page(window, from, limit),

    async saveSegments(_windowId, given) {
      root.require();
      const documents = given.map(({ agentN, firstSequence: first, hashes }) => ({
        _id: `${agentN}:${first}`,
        agentN,
        first,
        hashes: binary(hashes),
      }));
      await put(segments, documents);
    },

    agentKeys: (numbers) => leaves.agents.keys(numbers),

    async saveWindowAgents(windowId, given, leafHashes) {
      const [first] = given;
      if (first === undefined) return;
      root.require();
      const rows = given.map(({ leafIndex, agentN, firstSequence, lastSequence, root: agentRoot }) => {
        const place = { windowId, leafIndex, agentN, first: firstSequence, last: lastSequence };
        return { _id: `${windowId}:${leafIndex}`, ...place, root: binary(agentRoot) };
      });
      await put(windowAgents, rows);
      const firstIndex = first.leafIndex;
      if (firstIndex === 0) await dropOthers(windowId, given.length);
      await put(windowLeaves, [
        { _id: tileId(windowId, firstIndex), windowId, firstIndex, hashes: binary(leafHashes) },
      ]);
    },

    async previousRoot({ cadenceSeconds, number }) {
      if (number === 1) return null;
      const before = `${cadenceSeconds}-${number - 1}`;
      const found = await windows.findOne({ _id: before });
      if (found?.root === undefined) throw new WindowDamaged(`window ${before} is not stored with a root`);
      return found.root;
    },

    async closeWindow({ windowId, merkleRoot, prev, agentCount, eventCount }, memo, tileRoots) {
      const { term } = root;
      const tiles = tileRoots === null ? {} : { tileRoots: binary(tileRoots) };
      const facts = { root: merkleRoot, prev, agentCount, eventCount, ...tiles };
      const submission = { memo, attempts: [], landed: null, rev: 0, queuedAtMs: Date.now() };
      const { matchedCount } = await windows.updateOne(
        { _id: windowId, todo: 'close', term: { $lte: term } },
        { $set: { ...facts, ...submission, todo: 'submit', term } },
      );
      if (matchedCount > 0) return;
      const found = await windows.findOne({ _id: windowId });
      if (found !== null && found.term > term) throw new LeadEnded('another instance closes windows');
      if (found?.root !== merkleRoot) throw new WindowDamaged(`window ${windowId} was closed with another root`);
    },

    async closedWindow(windowId) {
      const found = await windows.findOne({ _id: windowId });
      return found === null ? null : closedWindowOf(found);
    },

    async rootAt(cadence, startMs) {
      return (await windows.findOne({ cadence, startMs }))?.root ?? null;
    },

    async windowAgents(windowId, fromIndex, limit) {
      const rows = await windowAgents
        .find({ windowId, leafIndex: { $gte: fromIndex } })
        .sort({ windowId: 1, leafIndex: 1 })
        .limit(limit)
        .toArray();
      const found = await agents.find({ n: { $in: rows.map(({ agentN }) => agentN) } }).toArray();
      const byNumber = new Map(found.map((agent) => [agent.n, agent]));
      return rows.map(({ leafIndex, agentN, first: firstSequence, last: lastSequence, root: agentRoot }) => {
        const agent = byNumber.get(agentN);
        if (agent === undefined) throw new WindowDamaged(`agent number ${agentN} is not stored`);
        const kept = { agentId: agent._id, agentKey: bytesOf(agent.key), root: bytesOf(agentRoot) };
        return { leafIndex, agentN, firstSequence, lastSequence, ...kept };
      });
    },

    async leafHashes(agentId, first, last) {
      const agentN = await agentNumber(agentId);
      if (agentN === null) return new Uint8Array(0);
      const [around] = await segments
        .find({ agentN, first: { $lte: first } }, { projection: { first: 1 } })
        .sort({ agentN: -1, first: -1 })
        .limit(1)
        .toArray();
      const found = segments.find({ agentN, first: { $gte: around?.first ?? first, $lte: last } });
      const parts: Buffer[] = [];
      let next = first;
      for await (const segment of found.sort({ agentN: 1, first: 1 })) {
        const hashes = bytesOf(segment.hashes);
        const end = Math.min(segment.first + hashes.length / HASH_BYTES, last + 1);
        if (segment.first > next || end <= next) break;
        parts.push(hashes.subarray((next - segment.first) * HASH_BYTES, (end - segment.first) * HASH_BYTES));
        next = end;
      }
      return new Uint8Array(Buffer.concat(parts));
    },

    async windowLeafHashes(windowId) {
      const pieces = await windowLeaves.find({ windowId }).sort({ windowId: 1, firstIndex: 1 }).toArray();
      return new Uint8Array(Buffer.concat(pieces.map(({ hashes }) => bytesOf(hashes))));
    },

    async windowTileRoots(windowId) {
      const found = await windows.findOne({ _id: windowId }, { projection: { tileRoots: 1 } });
      return found?.tileRoots === undefined ? null : bytesOf(found.tileRoots);
    },

    async windowTile(windowId, firstIndex) {
      const found = await windowLeaves.findOne({ _id: tileId(windowId, firstIndex) });
      return found === null ? new Uint8Array(0) : bytesOf(found.hashes);
    },
  };
}
