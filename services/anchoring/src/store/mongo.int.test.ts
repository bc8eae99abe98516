import { nodeCrypto } from '@countersign/process/node-crypto';
import { agentId } from '../testing/envelopes.js';
import { arrivingLeaf } from '../testing/leaves.js';
import { inspectAnchors } from './inspect.js';
import { inspectionContract } from './inspection.contract.js';
import { openMongoAnchorStore } from './mongo.js';
import { TestDatabase } from './mongo-test-database.js';
import { LeadEnded, type AnchorStore, type ArrivingLeaf } from './port.js';
import { anchorStoreContract } from './store.contract.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const needed = SERVER === undefined ? describe.skip : describe;

needed('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
  const database = new TestDatabase(SERVER ?? '');
  const open = (leaseMs = 2_000): Promise<AnchorStore> =>
    openMongoAnchorStore(database.uri, { sha256: nodeCrypto.sha256, leaseMs });
  afterAll(() => database.drop());

  anchorStoreContract('mongo', {
    open,
    async reopen(store) {
      await store.close();
      return open();
    },
    clean: () => database.clear(),
  });

  inspectionContract('mongo', {
    open,
    inspect: () => inspectAnchors({ uri: database.uri }),
    clean: () => database.clear(),
  });

  describe('lead', () => {
    const stores: AnchorStore[] = [];
    afterEach(async () => {
      for (const store of stores.splice(0)) await store.close();
      await database.clear();
    });
    async function opened(leaseMs?: number): Promise<AnchorStore> {
      const store = await open(leaseMs);
      stores.push(store);
      return store;
    }
    const soon = (): AbortSignal => AbortSignal.timeout(10_000);
    const take = (store: AnchorStore, ...leaves: ArrivingLeaf[]): Promise<void> =>
      store.takeLeaves(leaves, { topic: 'agent-events', partition: 0, next: leaves.at(-1)!.offset + 1 });

    it('is given to one instance; the next one has it at once when it is given back', async () => {
      const [first, second] = [await opened(60_000), await opened(60_000)];
      await first.lead(soon());
      await take(first, arrivingLeaf(0, 1));
      let given = false;
      const waiting = second.lead(soon()).then(() => (given = true));
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect(given).toBe(false);
      await expect(take(second, arrivingLeaf(1, 1))).rejects.toThrow(LeadEnded);
      await expect(second.cut([], {})).rejects.toThrow(LeadEnded);
      expect(await second.position('agent-events', 0)).toBe(1);
      await first.close();
      stores.splice(0, 1);
      await waiting;
      await take(second, arrivingLeaf(1, 1));
      expect(await second.position('agent-events', 0)).toBe(2);
    });

    it('stays with who gives signs of life', async () => {
      const [first, second] = [await opened(400), await opened(400)];
      const { ended } = await first.lead(soon());
      await expect(second.lead(AbortSignal.timeout(1_500))).rejects.toThrow();
      await take(first, arrivingLeaf(0, 1));
      expect(await Promise.race([ended, Promise.resolve('leads')])).toBe('leads');
    });

    it('leaves nothing of what an instance writes after another has taken over', async () => {
      // The first gives a sign of life every 15 s only; to the second it is dead after 0.3 s.
      const [first, second] = [await opened(60_000), await opened(300)];
      const { ended } = await first.lead(soon());
      await take(first, arrivingLeaf(0, 1), arrivingLeaf(1, 2, { cadenceSeconds: 300 }));
      await second.lead(soon());
      // It was about to take more than the one that leads now has of it.
      await expect(take(first, arrivingLeaf(2, 1), arrivingLeaf(3, 1), arrivingLeaf(4, 2))).rejects.toThrow(LeadEnded);
      expect(await ended).toBe('another instance has taken over');
      await expect(first.cut([{ cadenceSeconds: 1, startMs: 0, endMs: 1_000 }], { 0: 2 })).rejects.toThrow(LeadEnded);

      await take(second, arrivingLeaf(2, 1));
      await second.cut([{ cadenceSeconds: 1, startMs: 0, endMs: 1_000 }], { 0: 4 });
      await take(second, arrivingLeaf(3, 1), arrivingLeaf(4, 2), arrivingLeaf(5, 1));
      await second.completeCut();
      const [cut] = await second.unpublishedCuts(10);
      expect(cut).toMatchObject({ windowId: '1-1', carried: [] });
      const { leaves } = await second.readLeaves(cut!, null, 100);
      expect(leaves.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
      await second.cut([{ cadenceSeconds: 1, startMs: 1_000, endMs: 2_000 }], { 0: 6 });
      await second.completeCut();
      const [, next] = await second.unpublishedCuts(10);
      expect(next).toMatchObject({ windowId: '1-2', carried: [agentId(2)] });
      expect((await second.readLeaves(next!, null, 100)).leaves.map(({ sequence }) => sequence)).toEqual([4]);
    });

    it('keeps the signatures of who leads when who led before saves its own late', async () => {
      const attempt = (signature: string) => ({
        signature,
        wire: 'w',
        blockhash: 'b',
        lastValidBlockHeight: 1,
        preparedAtSlot: 1,
      });
      const [first, second] = [await opened(60_000), await opened(300)];
      await first.lead(soon());
      const request = { reportId: 'r', contentHash: 'ab'.repeat(32), memo: 'm' };
      await first.requestReports([request], { topic: 'anchor-requests', partition: 0, next: 1 });
      const [seen] = await first.openSubmissions(10);
      await second.lead(soon());
      const [taken] = await second.openSubmissions(10);
      await expect(first.saveSubmission({ ...seen!, attempts: [attempt('late')] })).rejects.toThrow(LeadEnded);
      await second.saveSubmission({ ...taken!, attempts: [attempt('ours')] });
      await expect(first.saveSubmission({ ...seen!, attempts: [attempt('late')] })).rejects.toThrow(LeadEnded);
      expect((await second.openSubmissions(10))[0]!.attempts).toEqual([attempt('ours')]);
    });

    it('takes a partition up after the leaves of a batch that did not count', async () => {
      const first = await opened();
      await first.lead(soon());
      await take(first, arrivingLeaf(0, 1));
      const root = await database.collection('root');
      // As after a crash between the leaves and the position that makes them count.
      await take(first, arrivingLeaf(1, 1), arrivingLeaf(2, 1));
      await root.updateOne({ _id: 'root' }, { $set: { 'positions.agent-events.0': 1 } });
      await first.close();
      stores.splice(0, 1);
      const second = await opened();
      await second.lead(soon());
      await take(second, arrivingLeaf(1, 1));
      await take(second, arrivingLeaf(2, 1), arrivingLeaf(3, 1));
      await second.cut([{ cadenceSeconds: 1, startMs: 0, endMs: 1_000 }], { 0: 4 });
      await second.completeCut();
      const { leaves } = await second.readLeaves((await second.unpublishedCuts(1))[0]!, null, 100);
      expect(leaves.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    });
  });
});
