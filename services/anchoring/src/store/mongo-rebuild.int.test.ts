import type { StoreRebuild } from '@countersign/document-store';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { openRebuild } from './mongo-rebuild.js';
import { TestDatabase } from './mongo-test-database.js';
import { openMongoAnchorStore } from './mongo.js';
import type { AnchorStore } from './port.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const { sha256 } = nodeCrypto;

if (SERVER === undefined) {
  describe.skip('anchoring made anew in MongoDB needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
    it('has no server', () => undefined);
  });
} else {
  describe('anchoring made anew in MongoDB', () => {
    const database = new TestDatabase(SERVER);
    let rebuild: StoreRebuild;
    beforeAll(async () => {
      rebuild = await openRebuild(database.uri);
    });
    afterAll(async () => {
      await rebuild.close();
      await database.drop();
    });

    const opened = (suffix?: string): Promise<AnchorStore> => openMongoAnchorStore(database.uri, { sha256, suffix });
    const lead = (store: AnchorStore) => store.lead(AbortSignal.timeout(30_000));
    async function rootOf(name: string): Promise<{ term: number }> {
      return (await (await database.collection(name)).findOne({ _id: 'root' })) as unknown as { term: number };
    }

    it('tells an instance that leads from none', async () => {
      expect(await rebuild.inUse()).toBeNull();
      const store = await opened();
      await lead(store);
      expect(await rebuild.inUse()).toMatch(/an instance of anchoring leads/);
      await store.close();
      expect(await rebuild.inUse()).toBeNull();
    }, 30_000);

    it('has a term above the one of the store that it replaces, and is led by nobody while it is swapped in', async () => {
      for (let term = 0; term < 3; term += 1) {
        const store = await opened();
        await lead(store);
        await store.close();
      }
      const { term } = await rootOf('root');
      const standby = await opened();
      await rebuild.swap.begin();
      const fresh = await opened(rebuild.swap.suffix);
      await lead(fresh);
      await fresh.close();
      await rebuild.takeOver(rebuild.swap.suffix);
      expect(await rootOf(`root${rebuild.swap.suffix}`)).toMatchObject({ term: term + 1 });
      const inUse = async (): Promise<null> => {
        await expect(lead(standby)).rejects.toThrow(/are being replaced/);
        return null;
      };
      expect(await rebuild.swap.swap(new Date(), { inUse })).toMatch(/^\.damaged-/);
      await lead(standby);
      expect(await rootOf('root')).toMatchObject({ term: term + 2 });
      await standby.close();
    }, 30_000);
  });
}
