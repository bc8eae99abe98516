import type { Landed } from '../store/port.js';
import { backends } from '../testing/backends.js';
import { envelope } from '../testing/envelopes.js';
import { House } from '../testing/house.js';
import { requirePublishedWindows, StoreForgot } from './published-windows.js';

const AUTHORITY = 'the address that signed';
const SECOND = 1000;

const landed: Landed = {
  signature: 'a signature',
  slot: 7,
  blockHeight: 7,
  anchoredAt: '2026-01-01T00:00:00.000Z',
  network: 'solana:localnet',
  authority: AUTHORITY,
};

for (const backend of backends(process.env['COUNTERSIGN_TEST_MONGODB_URI']))
  (backend.available ? describe : describe.skip)(`published windows, in ${backend.name}`, () => {
    let house: House;
    let emptied: House | null;
    beforeEach(async () => {
      house = await House.open({ openStore: backend.openStore });
      emptied = null;
      await house.append(envelope({ n: 1, agent: 1 }), envelope({ n: 2, agent: 2 }));
      await house.takeAll();
      house.nowMs += 2 * SECOND;
    });
    afterEach(async () => {
      await emptied?.close();
      await house.close();
      await backend.clear();
    });
    afterAll(() => backend.end());

    const required = (authority = AUTHORITY): Promise<void> =>
      requirePublishedWindows(house.log, house.store, authority);

    async function anchor(): Promise<void> {
      for (const { id } of await house.store.openSubmissions(10)) await house.store.saveAnchored(id, landed);
      await house.publisher.publishAnchored();
    }

    /** A log in which everything is published, and an empty store. */
    async function requiredOfAnotherStore(): Promise<void> {
      emptied = await House.open();
      await requirePublishedWindows(house.log, emptied.store, AUTHORITY);
    }

    it('are those of the store, at first, after a cut and after an anchor', async () => {
      await required();
      await house.closeDue();
      await required();
      await anchor();
      expect([...(await house.anchors()).keys()]).toContain('window:1-1:0');
      await required();
    });

    it('are missed in a store that has no cut', async () => {
      await house.closeDue();
      await expect(requiredOfAnotherStore()).rejects.toThrow(
        /the window of 1 s that ended at .*Z was published, and the store/u,
      );
    });

    it('are missed in a store that cut the same events into another window', async () => {
      await house.closeDue();
      await anchor();
      emptied = await House.open();
      await emptied.append(envelope({ n: 1, agent: 1 }));
      await emptied.takeAll();
      emptied.nowMs = house.nowMs + 5 * SECOND;
      await emptied.closeDue();
      const forgot = requirePublishedWindows(house.log, emptied.store, AUTHORITY);
      await expect(forgot).rejects.toThrow('window 1-1 with its root was published');
    });

    it('want the key that signed them', async () => {
      await house.closeDue();
      await anchor();
      await expect(required('another address')).rejects.toThrow(StoreForgot);
      await expect(required('another address')).rejects.toThrow('put authority.json back from a backup');
    });
  });
