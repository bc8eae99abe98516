import type { Offsets } from '@countersign/event-log';
import type { Collections, StoredOffsets, WindowDocument } from './mongo-collections.js';
import type { MongoLeaves } from './mongo-leaves.js';
import type { MongoRoot } from './mongo-root.js';
import type { AnchorStore, Cut, CutWindow } from './port.js';

type CutMethods =
  | 'cadences'
  | 'isCut'
  | 'newestEventMs'
  | 'cut'
  | 'pendingCut'
  | 'completeCut'
  | 'unpublishedCuts'
  | 'markCutsPublished'
  | 'sweep';

/** Rows of a batch, as a measure of what a sweep does at once. */
const BATCH = 100;

export function cutWindow(window: WindowDocument): CutWindow {
  const { _id: windowId, cadence: cadenceSeconds, number, startMs, endMs, from, offsets, carried } = window;
  return { windowId, cadenceSeconds, number, startMs, endMs, from, offsets, carried };
}

/** Windows from the leaf that opens them to the cut that the log knows, and what is dropped when they are closed. */
export function mongoCuts(
  root: MongoRoot,
  leaves: MongoLeaves,
  { carried, windows, leaves: batches }: Collections,
): Pick<AnchorStore, CutMethods> {
  async function complete(): Promise<void> {
    const { state } = leaves;
    if (state.pending === null) return;
    await leaves.flush();
    const { offsets, windows: ending } = state.pending;
    const { term } = root;
    for (const { windowId, cadenceSeconds, startMs, endMs, number, n, from } of ending) {
      const waiting = await carried.find({ stamp: cadenceSeconds }).toArray();
      const ids = waiting
        .filter(
          ({ cadence, window, p, first }) =>
            window === state.cadences.get(cadence)?.number && first < (offsets[p] ?? 0),
        )
        .map(({ agentId }) => agentId);
      const names = [...new Set(ids)].sort();
      const facts = { n, cadence: cadenceSeconds, number, startMs, endMs, from, offsets, carried: names };
      await windows.updateOne(
        { _id: windowId },
        { $setOnInsert: { ...facts, todo: 'publish-cut' }, $max: { term } },
        { upsert: true },
      );
    }
    await root.change({ pending: null, nextWindow: state.nextWindow + ending.length });
    state.pending = null;
    state.nextWindow += ending.length;
    for (const [cadence, { number }] of state.cadences) {
      const past = await carried.find({ cadence, window: { $lt: number } }, { projection: { _id: 1 } }).toArray();
      if (past.length === 0) continue;
      await carried.bulkWrite(past.map(({ _id }) => ({ deleteOne: { filter: { _id } } })));
    }
  }

  /** Below it no leaf is needed any more, by partition. */
  async function needless(): Promise<ReadonlyMap<number, number>> {
    const { positions, flushed, cadences, pending } = leaves.state;
    const needed: StoredOffsets[] = (pending?.windows ?? []).map(({ from }) => from);
    for (const { openedAtMs, from } of cadences.values()) if (openedAtMs !== null) needed.push(from);
    const open = windows.find({ todo: { $in: ['publish-cut', 'close'] } }, { projection: { from: 1 } });
    for await (const { from } of open) needed.push(from);
    const floors = [...positions.keys()].map((p): [number, number] => [
      p,
      Math.min(flushed.get(p) ?? 0, ...needed.map((from) => from[p] ?? 0)),
    ]);
    return new Map(floors);
  }

  /** Resolves with `true` when something was dropped. */
  async function sweepPartition(partition: number, below: number, limit: number): Promise<boolean> {
    const swept = await batches
      .find({ p: partition, swept: false, next: { $lte: below }, from: { $lt: below } }, { projection: { _id: 1 } })
      .limit(limit)
      .toArray();
    if (swept.length > 0) {
      await batches.bulkWrite(
        swept.map(({ _id }) => ({
          updateOne: { filter: { _id }, update: { $set: { swept: true }, $unset: { rows: 1 } } },
        })),
        { ordered: false },
      );
    }
    const floor = leaves.state.floors.get(partition) ?? 0;
    const oldest = await batches
      .find({ p: partition, swept: true }, { projection: { newestMs: 1 } })
      .sort({ p: 1, swept: 1, from: 1 })
      .limit(limit)
      .toArray();
    const kept = oldest.findIndex(({ newestMs }) => newestMs >= floor);
    const old = kept === -1 ? oldest : oldest.slice(0, kept);
    if (old.length > 0) {
      await batches.bulkWrite(
        old.map(({ _id }) => ({ deleteOne: { filter: { _id } } })),
        { ordered: false },
      );
    }
    return swept.length + old.length > 0;
  }

  return {
    async cadences() {
      const { cadences } = root.leads ? { cadences: Object.fromEntries(leaves.state.cadences) } : await root.read();
      return Object.entries(cadences)
        .map(([cadence, { openedAtMs, lastEndMs, number }]) => {
          return { cadenceSeconds: Number(cadence), openedAtMs, lastEndMs, cuts: number - 1 };
        })
        .sort((a, b) => a.cadenceSeconds - b.cadenceSeconds);
    },

    async isCut(cadence, startMs) {
      const pending = root.leads ? leaves.state.pending : (await root.read()).pending;
      const isPending = pending?.windows.some((one) => one.cadenceSeconds === cadence && one.startMs === startMs);
      return isPending === true || (await windows.findOne({ cadence, startMs }, { projection: { _id: 1 } })) !== null;
    },

    async newestEventMs() {
      const newest = batches.aggregate<{ newestMs: number }>([
        { $group: { _id: null, newestMs: { $max: '$newestMs' } } },
      ]);
      const found = (await newest.toArray())[0]?.newestMs ?? 0;
      return found === 0 ? null : found;
    },

    cut: (cuts: readonly Cut[], offsets: Offsets) =>
      leaves.alone(async () => {
        const { state } = leaves;
        if (state.pending !== null) throw new RangeError('a cut is pending');
        if (cuts.length === 0) return;
        const change = state.cut(cuts, offsets);
        await root.change(change);
        state.pending = change.pending;
        for (const [cadence, stored] of Object.entries(change.cadences)) state.cadences.set(Number(cadence), stored);
      }),

    pendingCut: async () => leaves.state.pending?.offsets ?? null,

    completeCut: () => leaves.alone(complete),

    async unpublishedCuts(limit) {
      const cuts = await windows.find({ todo: 'publish-cut' }).sort({ n: 1 }).limit(limit).toArray();
      return cuts.map(cutWindow);
    },

    async markCutsPublished(windowIds) {
      if (windowIds.length === 0) return;
      const { term } = root;
      await windows.bulkWrite(
        windowIds.map((_id) => ({
          updateOne: {
            filter: { _id, todo: 'publish-cut', term: { $lte: term } },
            update: { $set: { todo: 'close', term } },
          },
        })),
      );
    },

    async sweep(limit) {
      const documents = Math.max(1, Math.floor(limit / BATCH));
      let dropped = false;
      for (const [partition, below] of await needless()) {
        if (await sweepPartition(partition, below, documents)) dropped = true;
      }
      return dropped;
    },
  };
}
