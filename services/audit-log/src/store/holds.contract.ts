import { agentId, START } from '../testing/envelopes.js';
import { legalHold, reach, RELEASE } from '../testing/legal-holds.js';
import { UNDER_WAY_MS, type HoldStore } from './hold-port.js';

export interface HoldsHarness {
  /** Opens what is stored. */
  open(): Promise<HoldStore>;
  /** Removes one hold behind the back of the store. */
  lose(id: string): Promise<void>;
  clean(): Promise<void>;
}

const OTHER = 'account-b';

/** The contract of {@link HoldStore}. */
export function holdStoreContract(adapter: string, harness: HoldsHarness): void {
  describe(`hold store: ${adapter}`, () => {
    let store: HoldStore;
    beforeEach(async () => {
      store = await harness.open();
    });
    afterEach(async () => {
      await store.close();
      await harness.clean();
    });

    it('keeps who placed and who released a hold, when and why, over a restart', async () => {
      const hold = legalHold(1, { agentIds: [agentId(1)], fromMs: START, toMs: START + 10 });
      expect(await store.place(hold, 9)).toBe('placed');
      expect(await store.release(OTHER, hold.id, RELEASE)).toBeNull();
      expect(await store.inForce(hold.accountId)).toEqual([hold]);
      const released = { ...hold, released: RELEASE };
      expect(await store.release(hold.accountId, hold.id, RELEASE)).toEqual(released);
      expect(await store.release(hold.accountId, hold.id, { ...RELEASE, reason: 'again' })).toBe('released-before');
      await store.close();
      store = await harness.open();
      expect(await store.find(hold.accountId, hold.id)).toEqual(released);
      expect(await store.find(OTHER, hold.id)).toBeNull();
      expect(await store.inForce(hold.accountId)).toEqual([]);
    });

    it('keeps events with the change that they are about, and without it not, over a restart', async () => {
      const hold = legalHold(1);
      const event = (value: string) => [{ topic: 'agent-events', key: 'stream', value } as const];
      const pending = async () => (await store.pending(9)).map(({ record }) => record.value);
      expect(await store.place(hold, 9, event('placed'))).toBe('placed');
      expect(await store.place(legalHold(2, { name: hold.name }), 9, event('taken'))).toBe('name-taken');
      expect(await store.place(legalHold(3), 1, event('full'))).toBe('full');
      expect(await store.release(OTHER, hold.id, RELEASE, event('of another'))).toBeNull();
      await store.release(hold.accountId, hold.id, RELEASE, event('released'));
      expect(await store.release(hold.accountId, hold.id, RELEASE, event('again'))).toBe('released-before');
      await store.close();
      store = await harness.open();
      expect(await pending()).toEqual(['placed', 'released']);
      await store.sent((await store.pending(1)).map(({ id }) => id));
      expect(await pending()).toEqual(['released']);
    });

    it('lists holds of the account alone, newest first', async () => {
      for (const n of [1, 2, 3]) await store.place(legalHold(n), 9);
      await store.place(legalHold(4, { accountId: OTHER }), 9);
      const { accountId } = legalHold(1);
      expect(await store.list(accountId, 2, 0)).toEqual({ holds: [legalHold(3), legalHold(2)], total: 3 });
      expect(await store.list(accountId, 2, 2)).toEqual({ holds: [legalHold(1)], total: 3 });
    });

    it('refuses a name that is in use, and more than there may be, until one is released', async () => {
      await store.place(legalHold(1), 2);
      expect(await store.place(legalHold(2, { name: 'Case 1' }), 2)).toBe('name-taken');
      expect(await store.place(legalHold(2), 2)).toBe('placed');
      expect(await store.place(legalHold(3), 2)).toBe('full');
      await store.release(legalHold(1).accountId, legalHold(1).id, RELEASE);
      expect(await store.place(legalHold(3, { name: 'Case 1' }), 2)).toBe('placed');
    });

    it('registers an erasure only where no hold keeps any of it', async () => {
      const hold = legalHold(1, { agentIds: [agentId(1)], fromMs: START, toMs: START + 10 });
      await store.place(hold, 9);
      for (const held of [reach(1, START), reach(1, START + 9), reach(1, START - 5, START + 5)])
        expect(await store.begin(held, 'held', START)).toEqual([hold]);
      const note = { ...reach(2, START + 99), referred: [{ agentId: agentId(1), time: START }] };
      expect(await store.begin(note, 'held', START)).toEqual([hold]);
      const noteOfFree = { ...note, referred: [{ agentId: agentId(1), time: START + 10 }] };
      const free = [
        noteOfFree,
        reach(1, START - 1),
        reach(1, START + 10),
        reach(2, START),
        { ...reach(1, START), accountId: OTHER },
      ];
      for (const [n, one] of free.entries()) expect(await store.begin(one, `free ${n}`, START)).toEqual([]);
      const underWay = await store.underWay(hold.accountId, START);
      expect(underWay.map(({ id }) => id)).toEqual(['free 0', 'free 1', 'free 2', 'free 3']);
      expect(underWay[0]).toEqual({ ...noteOfFree, id: 'free 0', beganMs: START });
    });

    it('has an erasure under way until it is ended, or for a minute', async () => {
      const { accountId } = legalHold(1);
      await store.begin(reach(1, START), 'ended', START);
      await store.begin(reach(1, START), 'lost', START);
      await store.end(accountId, 'ended');
      await store.end(accountId, 'unknown');
      const lost = { ...reach(1, START), id: 'lost', beganMs: START };
      expect(await store.underWay(accountId, START + UNDER_WAY_MS)).toEqual([lost]);
      expect(await store.underWay(accountId, START + UNDER_WAY_MS + 1)).toEqual([]);
    });

    it('has a hold unsettled until it is settled or released, with the ends that were stored first', async () => {
      const { accountId } = legalHold(1);
      for (const n of [1, 2, 3]) await store.place(legalHold(n), 9);
      const [one, two, three] = [1, 2, 3].map((n) => legalHold(n).id);
      await store.settlesAt(accountId, two!, { 0: 7, 1: 0 });
      await store.settlesAt(accountId, two!, { 0: 9, 1: 0 });
      await store.settlesAt(OTHER, three!, { 0: 9, 1: 0 });
      await store.release(accountId, one!, RELEASE);
      expect(await store.unsettled(accountId)).toEqual([
        { id: two, ends: { 0: 7, 1: 0 } },
        { id: three, ends: null },
      ]);
      await store.settled(accountId, two!);
      await store.settled(OTHER, three!);
      await store.settlesAt(accountId, two!, { 0: 9, 1: 0 });
      expect(await store.unsettled(accountId)).toEqual([{ id: three, ends: null }]);
      expect(await store.unsettled(OTHER)).toEqual([]);
    });

    it('lets a hold and an erasure that race be found by one another', async () => {
      const { accountId } = legalHold(1);
      const other = await harness.open();
      try {
        for (let n = 1; n <= 20; n += 1) {
          const hold = legalHold(n);
          const [placing, keeping] = await Promise.all([
            store.place(hold, 99),
            other.begin(reach(1, START), `erasure ${n}`, START),
          ]);
          expect(placing).toBe('placed');
          const underWay = (await store.underWay(accountId, START)).map(({ id }) => id);
          expect(keeping.length > 0 || underWay.includes(`erasure ${n}`)).toBe(true);
          expect(await other.begin(reach(1, START), 'later', START)).toEqual([hold]);
          await other.release(accountId, hold.id, RELEASE);
        }
      } finally {
        await other.close();
      }
    });

    it('erases nothing while a hold is missing', async () => {
      const hold = legalHold(1);
      await store.place(hold, 9);
      await store.place(legalHold(2, { agentIds: [agentId(2)] }), 9);
      await harness.lose(hold.id);
      await expect(store.begin(reach(1, START), 'erasure', START)).rejects.toThrow('1 legal holds in the store, and 2');
      await expect(store.inForce(hold.accountId)).rejects.toThrow('and 2 were placed');
      await expect(store.unsettled(hold.accountId)).rejects.toThrow('and 2 were placed');
    });
  });
}
