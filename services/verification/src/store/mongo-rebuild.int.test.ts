import { randomBytes } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import type { StoreRebuild, SwapStep } from '@countersign/document-store';
import { openRebuild } from './mongo-rebuild.js';
import { openMongoPublicFacts } from './mongo.js';
import type { PublicFact } from './port.js';

const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const NOW = new Date('2026-11-22T10:20:30.456Z');
const KEPT = '.damaged-20261122T102030Z';

if (URI === undefined) {
  describe.skip('facts made beside those in use need MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
    it('has no server', () => undefined);
  });
} else {
  describe('facts made beside those in use', () => {
    let uri: string;
    let connection: Connection;
    const opened: StoreRebuild[] = [];
    const free = { inUse: async () => null };

    beforeEach(async () => {
      uri = URI.replace(/\/(?=\?|$)/, `/verification_${randomBytes(6).toString('hex')}`);
      connection = await createConnection(uri, mongoOptions(uri)).asPromise();
      await keep('old', 7);
    });
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
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
    async function command(): Promise<StoreRebuild> {
      const store = await openRebuild(uri);
      opened.push(store);
      return store;
    }
    async function made(): Promise<StoreRebuild> {
      const store = await command();
      await store.swap.begin();
      await keep('new', 9, store.swap.suffix);
      return store;
    }
    async function collections(): Promise<readonly string[]> {
      return (await connection.db!.listCollections().toArray()).map(({ name }) => name).sort();
    }
    const OLD = { ids: ['old'], position: 7 };
    const NEW = { ids: ['new'], position: 9 };

    it('take their place, and the others are kept', async () => {
      const { swap } = await made();
      expect(await swap.swap(NOW, free)).toBe(KEPT);
      await swap.discard();
      expect(await stored()).toEqual(NEW);
      expect(await stored(KEPT)).toEqual(OLD);
      const facts = await connection.db!.collection('verification_facts').indexes();
      expect(facts.map(({ name }) => name).sort()).toEqual(['_id_', 'by_kind', 'by_pdf_sha256', 'by_sha256', 'by_ssn']);
      const left = ['verification_facts', 'verification_positions'].flatMap((name) => [name, name + KEPT]);
      expect((await collections()).filter((name) => name.startsWith('verification'))).toEqual(left);
    });

    // Each collection is kept and swapped: what the second of them meets is a half that was done.
    const deaths = [
      ['announced', 1],
      ['kept', 1],
      ['swapped', 1],
      ['kept', 2],
      ['swapped', 2],
    ] as const;
    it.each(deaths)(
      'are nobody’s to open where the command died at %s, %i, and whole when it came again',
      async (step, nth) => {
        const { swap } = await made();
        let met = 0;
        const dying = (reached: SwapStep): void => {
          met += reached === step ? 1 : 0;
          if (met === nth) throw new Error('killed');
        };
        await expect(swap.swap(NOW, { ...free, at: dying })).rejects.toThrow('killed');
        await swap.discard();
        await expect(openMongoPublicFacts(uri)).rejects.toThrow(/are being replaced by countersign fsck --rebuild/);
        const again = await command();
        await expect(again.swap.begin()).rejects.toThrow('a swap of verification has not ended');
        expect(await again.swap.interrupted()).toBe(true);
        await expect(again.swap.resume({ inUse: async () => 'somebody runs' })).rejects.toThrow('somebody runs');
        expect(await again.swap.resume(free)).toBe(KEPT);
        expect(await stored()).toEqual(NEW);
        expect(await stored(KEPT)).toEqual(OLD);
      },
    );

    it('are kept apart from what somebody wrote late, between two renames', async () => {
      const { swap } = await made();
      const dying = (reached: SwapStep): void => {
        if (reached === 'kept') throw new Error('killed');
      };
      await expect(swap.swap(NOW, { ...free, at: dying })).rejects.toThrow('killed');
      await connection.db!.collection('verification_facts').insertOne({ late: true });
      await (await command()).swap.resume(free);
      expect(await stored()).toEqual(NEW);
      expect(await connection.db!.collection(`verification_facts${KEPT}-2`).countDocuments()).toBe(1);
    });

    it('are not swapped in once an instance has opened the store', async () => {
      const { swap } = await made();
      expect(await stored()).toEqual(OLD);
      await expect(swap.swap(NOW, free)).rejects.toThrow('verification was started meanwhile');
      await swap.discard();
      expect(await stored()).toEqual(OLD);
      expect((await collections()).filter((name) => name.includes('rebuilding'))).toEqual([]);
    });

    it('are not swapped in where an instance shows when the swap is announced', async () => {
      const facts = await openMongoPublicFacts(uri);
      const { swap } = await made();
      const shows = async (): Promise<string> => {
        // Whoever joins now may not begin.
        await expect(facts.position('signing-keys', 0)).rejects.toThrow(/are being replaced/);
        return 'somebody runs';
      };
      await expect(swap.swap(NOW, { inUse: shows })).rejects.toThrow('somebody runs');
      await swap.discard();
      expect(await facts.position('signing-keys', 0)).toBe(7);
      await facts.close();
      expect(await stored()).toEqual(OLD);
    });

    it('of two commands are those of the last to begin', async () => {
      const first = await made();
      const second = await made();
      await expect(first.swap.swap(NOW, free)).rejects.toThrow('made anew by another command');
      await first.swap.discard();
      expect(await second.swap.swap(NOW, free)).toBe(KEPT);
      expect(await stored()).toEqual(NEW);
    });
  });
}
