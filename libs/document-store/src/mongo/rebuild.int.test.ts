import { randomBytes } from 'node:crypto';
import { createConnection } from 'mongoose';
import type { Connection } from 'mongoose';
import { StoreUnreachable } from '../port.js';
import type { Collection, DocumentStore } from '../port.js';
import { COUNTS, THINGS, thing } from '../things.test-double.js';
import { inspectMongoDocuments, openMongoDocumentStore, openMongoRebuild } from './open-mongo-document-store.js';
import type { MongoRebuild } from './mongo-rebuild.js';
import { RebuildRefused } from './rebuild-generation.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const COLLECTIONS = [THINGS, COUNTS] as unknown as readonly Collection<object>[];
const NOW = new Date('2026-11-22T10:20:30.456Z');
const KEPT = '.damaged-20261122T102030Z';

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  describe('documents that are rebuilt', () => {
    let uri: string;
    let connection: Connection;
    let instance: DocumentStore;
    let rebuild: MongoRebuild;
    const free = { inUse: async () => null };

    beforeEach(async () => {
      const url = new URL(SERVER);
      url.pathname = `/rebuilt_${randomBytes(6).toString('hex')}`;
      uri = url.href;
      connection = await createConnection(uri).asPromise();
      instance = await open();
      await count(instance, 'old');
      rebuild = await openMongoRebuild(uri, 'test', COLLECTIONS);
      await rebuild.generation.begin();
      await fill('new');
    });
    afterEach(async () => {
      await instance.close();
      await rebuild.close();
      await connection.dropDatabase();
      await connection.close();
    });

    const open = (suffix?: string) => openMongoDocumentStore(uri, 'test', COLLECTIONS, { isRebuildable: true, suffix });
    const count = (store: DocumentStore, id: string) =>
      store.transact((transaction) => transaction.set(COUNTS, [{ id, body: { n: 1 } }]));
    async function fill(id: string): Promise<void> {
      const store = await open(rebuild.generation.suffix);
      await count(store, id);
      await store.close();
    }
    async function inUse(): Promise<readonly string[]> {
      const inspection = await inspectMongoDocuments(uri, 'test', COLLECTIONS);
      const ids: string[] = [];
      for await (const { id } of inspection.documents(COUNTS)) ids.push(id);
      await inspection.close();
      return ids;
    }

    it('are in use once they replace the others, which are kept with all their collections', async () => {
      expect(await inUse()).toEqual(['old']);
      expect(await rebuild.generation.replace(NOW, free)).toBe(KEPT);
      expect(await inUse()).toEqual(['new']);
      const started = await open();
      expect((await started.get(COUNTS, 'new'))?.body).toEqual({ n: 1 });
      await started.close();
      const names = (await connection.db!.listCollections().toArray()).map(({ name }) => name);
      const test = names.filter((name) => name.startsWith('test_')).sort();
      const bases = ['collections', 'counts', 'outbox', 'raises', 'things'].map((name) => `test_doc_${name}`);
      expect(test).toEqual(bases.flatMap((name) => [name + KEPT, name + rebuild.generation.suffix]));
    });

    it('refuse an instance that has the others open, and nothing that it writes is lost or mixed in', async () => {
      await rebuild.generation.replace(NOW, free);
      await expect(count(instance, 'late')).rejects.toThrow(StoreUnreachable);
      await expect(count(instance, 'late')).rejects.toThrow('restart this instance');
      expect(await inUse()).toEqual(['new']);
    });

    it.each([
      ['wrote', () => count(instance, 'late')],
      ['read in a transaction', () => instance.transact((transaction) => transaction.get(COUNTS, 'old'))],
      ['was started', async () => (await open()).close()],
    ])('do not replace the others once an instance %s', async (_what, use) => {
      await use();
      await expect(rebuild.generation.replace(NOW, free)).rejects.toThrow(RebuildRefused);
      await rebuild.generation.discard();
      expect(await inUse()).toContain('old');
      await count(instance, 'later');
    });

    it('replace the others, or an instance writes, where both happen at once', async () => {
      for (let round = 0; round < 12; round += 1) {
        const id = `round-${round}`;
        const [replaced, wrote] = await Promise.allSettled([
          rebuild.generation.replace(NOW, free),
          count(instance, id),
        ]);
        expect(replaced.status).not.toBe(wrote.status);
        if (wrote.status === 'fulfilled') expect(await inUse()).toContain(id);
        await rebuild.generation.discard();
        await instance.close();
        instance = await open();
        await rebuild.close();
        rebuild = await openMongoRebuild(uri, 'test', COLLECTIONS);
        await rebuild.generation.begin();
        await fill('new');
      }
    }, 60_000);

    it('count what the others have not published', async () => {
      expect(await rebuild.unpublished()).toBe(0);
      await instance.transact(async (transaction) => {
        await transaction.put(THINGS, [{ id: 'a', version: 1, body: thing() }]);
        await transaction.publish([{ topic: 'agents', key: 'a', value: '{}' }]);
        await transaction.raise([{ kind: 'thing', id: 'a', version: 1 }]);
      });
      expect(await rebuild.unpublished()).toBe(2);
    });
  });
}
