import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import type { StoreRebuild } from '@countersign/document-store';
import { openMongoPublicFacts, openStoreRebuild } from './open.js';
import type { PublicFact } from './port.js';

const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const NOW = new Date('2026-11-22T10:20:30.456Z');
const KEPT = '.damaged-20261122T102030Z';

if (URI === undefined) {
  describe.skip('facts that are rebuilt need MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
    it('has no server', () => undefined);
  });
} else {
  describe('facts that are rebuilt', () => {
    let uri: string;
    let connection: Connection;
    let rebuild: StoreRebuild;
    const free = { inUse: async () => null };

    beforeEach(async () => {
      uri = URI.replace(/\/(?=\?|$)/, `/verification_${randomBytes(6).toString('hex')}`);
      connection = await createConnection(uri, mongoOptions(uri)).asPromise();
      await keep('old', 7);
      rebuild = await openStoreRebuild(uri);
      await rebuild.generation.begin();
      await keep('new', 9, rebuild.generation.suffix);
    });
    afterEach(async () => {
      await rebuild.close();
      await connection.dropDatabase();
      await connection.close();
    });

    const fact = (id: string): PublicFact => {
      const value = { publicKeyHex: 'ab', status: 'active', validFrom: null, validTo: null } as const;
      return { kind: 'key', id, version: 1, value };
    };
    async function keep(id: string, next: number, suffix?: string): Promise<void> {
      const facts = await openMongoPublicFacts(uri, suffix);
      await facts.keep([fact(id)], 'signing-keys', 0, next);
      await facts.close();
    }
    async function stored(suffix?: string): Promise<unknown> {
      const facts = await openMongoPublicFacts(uri, suffix);
      const ids = (await facts.keys()).map(({ id }) => id);
      const position = await facts.position('signing-keys', 0);
      await facts.close();
      return { ids, position };
    }
    const OLD = { ids: ['old'], position: 7 };
    const NEW = { ids: ['new'], position: 9 };

    it('take the place of the others, which are kept', async () => {
      expect(await rebuild.generation.replace(NOW, free)).toBe(KEPT);
      await rebuild.generation.discard();
      expect(await stored()).toEqual(NEW);
      expect(await stored(KEPT)).toEqual(OLD);
    });

    it('are not mixed with what an instance still writes that was not stopped', async () => {
      const late = await openMongoPublicFacts(uri);
      await rebuild.generation.begin();
      await keep('new', 9, rebuild.generation.suffix);
      await rebuild.generation.replace(NOW, free);
      await expect(late.keep([fact('late')], 'signing-keys', 0, 99)).rejects.toThrow('restart this instance');
      await late.close();
      expect(await stored()).toEqual(NEW);
    });

    it('are given up once an instance has followed its topics meanwhile', async () => {
      const facts = await openMongoPublicFacts(uri);
      await rebuild.generation.begin();
      await facts.keep([fact('newer')], 'signing-keys', 0, 11);
      await expect(rebuild.generation.replace(NOW, free)).rejects.toThrow('verification was used meanwhile');
      await rebuild.generation.discard();
      await facts.keep([], 'signing-keys', 0, 12);
      await facts.close();
      expect(await stored()).toEqual({ ids: ['newer', 'old'], position: 12 });
      const left = (await connection.db!.listCollections().toArray()).map(({ name }) => name);
      expect(left.filter((name) => name.includes('.rebuilt-'))).toEqual([]);
    });
  });
}
