import { toHex } from '@countersign/evidence';
import { agentId } from '../testing/envelopes.js';
import { arrivingLeaf as leaf, FIRST_MS as T, leafHash as hash } from '../testing/leaves.js';
import type { AnchorInspection } from './inspection.js';
import type { AnchorStore } from './port.js';

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const row of rows) read.push(row);
  return read;
}

/** Contract of the inspection of every {@link AnchorStore}. `open` gives an empty store; `inspect` opens what it holds. */
export function inspectionContract(
  name: string,
  backend: { open(): Promise<AnchorStore>; inspect(): Promise<AnchorInspection>; clean(): Promise<void> },
): void {
  describe(`inspection of an anchor store: ${name}`, () => {
    const landed = {
      signature: 's',
      slot: 9,
      blockHeight: 8,
      anchoredAt: '2026-03-01T10:00:00.000Z',
      network: 'solana:localnet',
      authority: 'a',
    };
    let store: AnchorStore;
    let inspection: AnchorInspection;

    /** One closed and anchored window with two leaves of agent 1, one that is cut, and one leaf of agent 2 that is open. */
    beforeEach(async () => {
      store = await backend.open();
      await store.lead(AbortSignal.timeout(10_000));
      const position = (next: number) => ({ topic: 'agent-events', partition: 0, next }) as const;
      const cut = async (n: number, end: number): Promise<void> => {
        await store.cut([{ cadenceSeconds: 1, startMs: T + n * 1000, endMs: T + n * 1000 + 1000 }], { 0: end });
        await store.completeCut();
      };
      await store.takeLeaves([leaf(0, 1), leaf(1, 1)], position(2));
      await cut(0, 2);
      await store.markCutsPublished(['1-1']);
      const window = (await store.nextToClose())!;
      const { agentN } = (await store.readLeaves(window, null, 1)).leaves[0]!;
      await store.saveSegments('1-1', [{ agentN, firstSequence: 1, hashes: Buffer.concat([hash(0), hash(1)]) }]);
      const row = { leafIndex: 0, agentN, firstSequence: 1, lastSequence: 2, root: hash(5) };
      await store.saveWindowAgents('1-1', [row], hash(6));
      const facts = { merkleRoot: 'ab'.repeat(32), prev: null, agentCount: 1, eventCount: 2 };
      await store.closeWindow({ ...window, ...facts }, 'memo', new Uint8Array(64).fill(7));
      const request = { reportId: 'r', contentHash: 'cd'.repeat(32), memo: 'report memo' };
      await store.requestReports([request], { topic: 'anchor-requests', partition: 0, next: 1 });
      await store.openSubmissions(10);
      await store.saveAnchored('window:1-1', landed);
      while (await store.sweep(10));
      await store.takeLeaves([leaf(2, 1)], position(3));
      await cut(1, 3);
      await store.takeLeaves([leaf(3, 2)], position(5));
      inspection = await backend.inspect();
    });
    afterEach(async () => {
      await inspection.close();
      await store.close();
      await backend.clean();
    });

    it('gives agents, arrivals and positions', async () => {
      expect(await inspection.positions('agent-events')).toEqual(new Map([[0, 5]]));
      expect(await inspection.positions('anchor-requests')).toEqual(new Map([[0, 1]]));
      const agents = await all(inspection.agents());
      const byId = new Map(agents.map((agent) => [agent.agentId, agent]));
      expect([byId.get(agentId(1))?.lastSequence, byId.get(agentId(2))?.lastSequence]).toEqual([3, 1]);
      expect(byId.get(agentId(1))?.key).toHaveLength(32);
      const arrivals = (await all(inspection.arrivals())).map((one) => ({ ...one, hash: toHex(one.hash) }));
      expect(arrivals).toEqual([
        expect.objectContaining({ offset: 2, agentN: byId.get(agentId(1))!.n, sequence: 3, hash: toHex(hash(2)) }),
        expect.objectContaining({ offset: 3, agentN: byId.get(agentId(2))!.n, sequence: 1, hash: toHex(hash(3)) }),
      ]);
      expect(arrivals.every(({ isIntact, partition, cadence }) => isIntact && partition === 0 && cadence === 1)).toBe(
        true,
      );
    });

    it('gives windows in order, and one by its id', async () => {
      const windows = await all(inspection.windows());
      expect(windows).toMatchObject([
        {
          windowId: '1-1',
          cadenceSeconds: 1,
          number: 1,
          startMs: T,
          endMs: T + 1000,
          from: {},
          offsets: { 0: 2 },
          carried: [],
          isCutPublished: true,
          isClosed: true,
          root: 'ab'.repeat(32),
          prev: null,
          agentCount: 1,
          eventCount: 2,
          memo: 'memo',
          isSubmitted: true,
          isPublished: false,
          ...landed,
        },
        {
          windowId: '1-2',
          from: { 0: 2 },
          offsets: { 0: 3 },
          isCutPublished: false,
          isClosed: false,
          root: null,
          signature: null,
          memo: null,
          isSubmitted: false,
          tileRoots: null,
        },
      ]);
      expect(toHex(windows[0]!.tileRoots!)).toBe('07'.repeat(64));
      expect(windows[1]!.n).toBeGreaterThan(windows[0]!.n);
      expect(await inspection.window('1-2')).toEqual(windows[1]);
      expect(await inspection.window('1-3')).toBeNull();
    });

    it('gives the leaves and agents of closed windows', async () => {
      const [agent] = (await all(inspection.agents())).filter((one) => one.agentId === agentId(1));
      const agentN = agent!.n;
      const segments = (await all(inspection.segments())).map((one) => ({ ...one, hashes: toHex(one.hashes) }));
      expect(segments).toEqual([{ agentN, firstSequence: 1, hashes: toHex(hash(0)) + toHex(hash(1)) }]);
      const row = { leafIndex: 0, agentN, firstSequence: 1, lastSequence: 2, root: toHex(hash(5)) };
      const shown = <T extends { readonly root: Uint8Array }>(rows: readonly T[]) =>
        rows.map((one) => ({ ...one, root: toHex(one.root) }));
      expect(shown(await all(inspection.runs()))).toEqual([{ windowId: '1-1', ...row }]);
      expect(shown(await all(inspection.windowAgents('1-1')))).toEqual([row]);
      expect(await all(inspection.windowAgents('1-1', 1, 5))).toEqual([]);
      expect((await all(inspection.windowLeaves('1-1'))).map((one) => toHex(one))).toEqual([toHex(hash(6))]);
    });

    it('gives reports, and has no problems', async () => {
      expect(await all(inspection.reports())).toEqual([
        {
          reportId: 'r',
          contentHash: 'cd'.repeat(32),
          memo: 'report memo',
          isSubmitted: false,
          isPublished: false,
          ...Object.fromEntries(Object.keys(landed).map((name) => [name, null])),
        },
      ]);
      expect(await all(inspection.problems())).toEqual([]);
    });
  });
}
