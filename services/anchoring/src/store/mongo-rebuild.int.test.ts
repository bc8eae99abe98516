import type { StoreRebuild } from '@countersign/document-store';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { openRebuild } from './mongo-rebuild.js';
import { TestDatabase } from './mongo-test-database.js';
import { openMongoAnchorStore } from './mongo.js';
import type { AnchorStore } from './port.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const { sha256 } = nodeCrypto;

if (SERVER === undefined) {
  describe.skip('anchoring rebuilt in MongoDB needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
    it('has no server', () => undefined);
  });
} else {
  describe('anchoring rebuilt in MongoDB', () => {
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

    it('distinguishes an instance that leads from none', async () => {
      expect(await rebuild.inUse()).toBeNull();
      const store = await opened();
      await lead(store);
      expect(await rebuild.inUse()).toMatch(/an instance of anchoring leads/);
      await store.close();
      expect(await rebuild.inUse()).toBeNull();
    }, 30_000);

    it('replaces no store that an instance leads meanwhile', async () => {
      const standby = await opened();
      await rebuild.generation.begin();
      const inUse = async (): Promise<null> => {
        await lead(standby);
        return null;
      };
      await expect(rebuild.generation.replace(new Date(), { inUse })).rejects.toThrow('anchoring was used meanwhile');
      await standby.close();
    }, 30_000);

    it('has a term above the one of the store that it replaces, which has no leader any more', async () => {
      for (let term = 0; term < 3; term += 1) {
        const store = await opened();
        await lead(store);
        await store.close();
      }
      const { term } = await rootOf('root');
      const standby = await opened();
      await rebuild.generation.begin();
      const { suffix } = rebuild.generation;
      const fresh = await opened(suffix);
      await lead(fresh);
      await fresh.close();
      await rebuild.takeOver(suffix);
      expect(await rootOf(`root${suffix}`)).toMatchObject({ term: term + 1 });
      expect(await rebuild.generation.replace(new Date(), { inUse: async () => null })).toMatch(/^\.damaged-/);
      await expect(lead(standby)).rejects.toThrow('restart this instance');
      await standby.close();
      const next = await opened();
      await lead(next);
      expect(await rootOf(`root${suffix}`)).toMatchObject({ term: term + 2 });
      await next.close();
    }, 30_000);
  });
}
