import { toHex } from '@countersign/evidence';
import { agentId } from '../testing/envelopes.js';
import { arrivingLeaf as leaf, FIRST_MS as T, leafHash as hash } from '../testing/leaves.js';
import type { AnchorStore, ArrivingLeaf, Landed } from './port.js';

const DAY = 86_400_000;

async function led(opening: Promise<AnchorStore>): Promise<AnchorStore> {
  const store = await opening;
  await store.lead(AbortSignal.timeout(10_000));
  return store;
}

/** Contract of every {@link AnchorStore}. `open` gives an empty store; `reopen` the same one after a restart. */
export function anchorStoreContract(
  name: string,
  backend: { open(): Promise<AnchorStore>; reopen(store: AnchorStore): Promise<AnchorStore>; clean(): Promise<void> },
): void {
  describe(`anchor store: ${name}`, () => {
    let store: AnchorStore;
    beforeEach(async () => {
      store = await led(backend.open());
    });
    const reopen = async (): Promise<AnchorStore> => led(backend.reopen(store));
    afterEach(async () => {
      await store.close();
      await backend.clean();
    });

    const take = (...leaves: ArrivingLeaf[]): Promise<void> =>
      store.takeLeaves(leaves, { topic: 'agent-events', partition: 0, next: leaves.at(-1)!.offset + 1 });
    const beginCut = (cadenceSeconds: number, end: number): Promise<void> =>
      store.cut([{ cadenceSeconds, startMs: T, endMs: T + cadenceSeconds * 1000 }], { 0: end });
    const cut = async (cadenceSeconds: number, end: number): Promise<void> => {
      await beginCut(cadenceSeconds, end);
      await store.completeCut();
    };
    const publishCuts = async (): Promise<void> =>
      store.markCutsPublished((await store.unpublishedCuts(10)).map((one) => one.windowId));
    const sequences = async (): Promise<number[]> => {
      await publishCuts();
      const window = (await store.nextToClose())!;
      const { leaves } = await store.readLeaves(window, null, 100);
      return leaves.map(({ sequence }) => sequence);
    };

    it('saves leaves and position together, and takes an event id once, also after a restart', async () => {
      await take(leaf(0, 1), leaf(1, 2), leaf(0, 1, { offset: 2 }), leaf(3, 1));
      store = await reopen();
      expect(await store.position('agent-events', 0)).toBe(4);
      await take(leaf(3, 1, { offset: 4 }), leaf(5, 1));
      await cut(1, 6);
      expect(await sequences()).toEqual([1, 1, 2, 3]);
    });

    it('forgets ids after 72 hours of log time, not before', async () => {
      await take(leaf(0, 1));
      await take(leaf(1, 2, { cameAtMs: T + 3 * DAY - 1 }));
      await take(leaf(0, 1, { offset: 2 }));
      await take(leaf(3, 2, { cameAtMs: T + 3 * DAY + 1 }));
      await take(leaf(0, 1, { offset: 4 }));
      await cut(1, 5);
      expect(await sequences()).toEqual([1, 1, 2, 2]);
    });

    it('gives for each cadence when its open window began and its last label', async () => {
      await take(leaf(5, 1), leaf(3, 2, { offset: 6 }), leaf(7, 3, { cadenceSeconds: 300 }));
      expect(await store.cadences()).toEqual([
        { cadenceSeconds: 1, openedAtMs: T + 3, lastEndMs: null, cuts: 0 },
        { cadenceSeconds: 300, openedAtMs: T + 7, lastEndMs: null, cuts: 0 },
      ]);
      await cut(1, 8);
      expect((await store.cadences())[0]).toEqual({
        cadenceSeconds: 1,
        openedAtMs: null,
        lastEndMs: T + 1000,
        cuts: 1,
      });
    });

    it('knows the labels of windows that are cut, also of those whose cut is not complete', async () => {
      await take(leaf(0, 1), leaf(1, 2, { cadenceSeconds: 300 }));
      expect(await store.isCut(1, T)).toBe(false);
      await beginCut(1, 2);
      expect(await store.isCut(1, T)).toBe(true);
      await store.completeCut();
      store = await reopen();
      expect([await store.isCut(1, T), await store.isCut(1, T + 1000), await store.isCut(300, T)]).toEqual([
        true,
        false,
        false,
      ]);
    });

    it('knows the latest time in the ids of its events', async () => {
      expect(await store.newestEventMs()).toBeNull();
      await take(leaf(7, 1));
      await take(leaf(3, 1, { offset: 8 }));
      store = await reopen();
      const { eventId } = leaf(7, 1);
      expect(await store.newestEventMs()).toBe(parseInt(eventId.replace('-', '').slice(0, 12), 16));
    });

    it('gives windows one after the other, each from where the last one ended', async () => {
      await take(leaf(0, 1), leaf(1, 1));
      await cut(1, 2);
      await take(leaf(2, 1));
      await cut(1, 3);
      expect(await store.nextToClose()).toBeNull();
      expect(await store.unpublishedCuts(10)).toMatchObject([
        { windowId: '1-1', number: 1, from: {}, offsets: { 0: 2 } },
        { windowId: '1-2', number: 2, from: { 0: 2 }, offsets: { 0: 3 } },
      ]);
      expect(await sequences()).toEqual([1, 2]);
      store = await reopen();
      expect((await store.nextToClose())?.windowId).toBe('1-1');
    });

    it('puts what lies below a cut and comes after it into the ended window, what lies above into the next', async () => {
      await take(leaf(0, 1), leaf(1, 2, { cadenceSeconds: 300 }));
      expect(await store.pendingCut()).toBeNull();
      await beginCut(1, 4);
      expect(await store.pendingCut()).toEqual({ 0: 4 });
      expect(await store.unpublishedCuts(10)).toEqual([]);
      await take(leaf(2, 1), leaf(3, 2));
      expect((await store.cadences())[0]).toEqual({
        cadenceSeconds: 1,
        openedAtMs: null,
        lastEndMs: T + 1000,
        cuts: 1,
      });
      store = await reopen();
      expect(await store.pendingCut()).toEqual({ 0: 4 });
      await take(leaf(4, 1), leaf(5, 2), leaf(6, 3, { cadenceSeconds: 300 }), leaf(7, 3));
      expect((await store.cadences())[0]).toMatchObject({ openedAtMs: T + 4 });
      await store.completeCut();
      expect(await store.pendingCut()).toBeNull();
      // Agent 3 was carried above the cut only.
      expect(await store.unpublishedCuts(10)).toMatchObject([{ windowId: '1-1', carried: [agentId(2)] }]);
      expect(await sequences()).toEqual([1, 2]);
      await beginCut(1, 8);
      await store.completeCut();
      const [second] = await store.unpublishedCuts(10);
      expect(second?.carried).toEqual([agentId(2), agentId(3)].sort());
    });

    it('reads leaves in pages and by sequence', async () => {
      await take(...Array.from({ length: 7 }, (_, n) => leaf(n, 1)));
      await cut(1, 7);
      await publishCuts();
      const window = (await store.nextToClose())!;
      const first = await store.readLeaves(window, null, 4);
      const second = await store.readLeaves(window, first.next, 4);
      expect([first.leaves.length, second.leaves.length, second.next]).toEqual([4, 3, null]);
      const agentN = first.leaves[0]!.agentN;
      const hashes = Buffer.concat([...first.leaves, ...second.leaves].map((one) => one.hash));
      await store.saveSegments('1-1', [
        { agentN, firstSequence: 1, hashes: hashes.subarray(0, 96) },
        { agentN, firstSequence: 4, hashes: hashes.subarray(96) },
      ]);
      expect(Buffer.from(await store.leafHashes(agentId(1), 2, 5)).equals(hashes.subarray(32, 160))).toBe(true);
      expect((await store.leafHashes(agentId(1), 6, 20)).length).toBe(64);
      expect((await store.leafHashes(agentId(2), 1, 5)).length).toBe(0);
    });

    it('keeps a memo from its first signature to its place on the chain', async () => {
      const landed: Landed = {
        signature: 's',
        slot: 9,
        blockHeight: 8,
        anchoredAt: '2026-03-01T10:00:00.000Z',
        network: 'solana:localnet',
        authority: 'a',
      };
      await take(leaf(0, 1));
      await cut(1, 1);
      await publishCuts();
      const window = (await store.nextToClose())!;
      const { agentN } = (await store.readLeaves(window, null, 1)).leaves[0]!;
      const row = { leafIndex: 0, agentN, firstSequence: 1, lastSequence: 1, root: hash(0) };
      await store.saveWindowAgents('1-1', [row], hash(1));
      const closed = {
        windowId: '1-1',
        cadenceSeconds: 1,
        startMs: T,
        endMs: T + 1000,
        merkleRoot: 'ab'.repeat(32),
        prev: null,
        agentCount: 1,
        eventCount: 1,
      };
      const tileRoots = new Uint8Array(64).fill(7);
      await store.closeWindow(closed, 'memo', tileRoots);
      expect(toHex((await store.windowTileRoots('1-1'))!)).toBe(toHex(tileRoots));
      expect(toHex(await store.windowTile('1-1', 0))).toBe(toHex(hash(1)));
      expect(await store.windowTile('1-1', 1)).toHaveLength(0);
      expect(await store.rootAt(1, T)).toBe('ab'.repeat(32));
      expect(await store.rootAt(1, T + 1)).toBeNull();
      expect(await store.previousRoot({ ...window, number: 2 })).toBe('ab'.repeat(32));
      expect(await store.sweep(10)).toBe(true);
      expect(await store.sweep(10)).toBe(false);
      const position = { topic: 'anchor-requests', partition: 0, next: 1 } as const;
      const request = { reportId: 'r', contentHash: 'cd'.repeat(32), memo: 'report memo' };
      await store.requestReports([request, request], position);

      const attempt = { signature: 's', wire: 'w', blockhash: 'b', lastValidBlockHeight: 1, preparedAtSlot: 1 };
      await store.saveSubmission({ id: 'window:1-1', memo: 'memo', attempts: [attempt], landed: null });
      store = await reopen();
      expect(await store.openSubmissions(10)).toEqual([
        { id: 'window:1-1', memo: 'memo', attempts: [attempt], landed: null },
        { id: 'report:r', memo: 'report memo', attempts: [], landed: null },
      ]);
      expect(await store.places(agentId(1), 1, 1)).toEqual([]);
      expect(await store.windowAt(1, T)).toEqual({ closed, landed: null });
      expect(await store.windowAt(1, T + 1)).toBeNull();
      expect(await store.windowAt(300, T)).toBeNull();
      const label = { cadenceSeconds: 1, startMs: T };
      for (const [from, to, found] of [
        [T - 9, T + 1, [label]],
        [T + 999, T + 9999, [label]],
        [T - 9, T, []],
        [T + 1000, T + 9999, []],
      ] as const) {
        expect([from, await store.labelsBetween(from, to, 10)]).toEqual([from, found]);
      }
      await store.saveAnchored('window:1-1', landed);
      expect(await store.windowAt(1, T)).toEqual({ closed, landed });
      await store.saveAnchored('report:r', landed);
      expect(await store.openSubmissions(10)).toEqual([]);
      expect(await store.waiting()).toEqual({ windows: 0, lastAnchoredEndMs: T + 1000 });
      expect(await store.places(agentId(1), 1, 1)).toMatchObject([
        { window: { ...closed, ...landed }, leafIndex: 0, firstSequence: 1, lastSequence: 1 },
      ]);
      expect(await store.places(agentId(1), 2, 9)).toEqual([]);
      expect(await store.unpublishedWindows(10)).toMatchObject([{ window: { windowId: '1-1' }, fromChunk: 0 }]);
      await store.markChunkPublished('1-1', 0, true);
      expect(await store.unpublishedWindows(10)).toEqual([]);
      expect(await store.unpublishedReports(10)).toEqual([{ reportId: 'r', contentHash: 'cd'.repeat(32), ...landed }]);
      await store.markReportsPublished(['r']);
      expect(await store.unpublishedReports(10)).toEqual([]);
      await store.requestReports([request], position);
      expect(await store.openSubmissions(10)).toEqual([]);
    });
  });
}
