import type { DocumentInspection } from './inspect.js';
import { Conflict, UniqueTaken } from './port.js';
import type { Collection, DocumentStore } from './port.js';
import { COUNTS, thing, THINGS } from './things.test-double.js';
import type { Thing, ThingKeys } from './things.test-double.js';

export interface OpenedStore {
  /** Another instance on the same documents, with these collections. */
  open(collections: readonly Collection<object>[]): Promise<DocumentStore>;
  inspect(collections: readonly Collection<object>[]): Promise<DocumentInspection>;
  /** Changes a stored field of a thing beside the store. */
  damage(id: string, field: 'version' | 'body' | 'owner', value: string | number): Promise<void>;
  cleanup(): Promise<void>;
}

const BOTH = [THINGS, COUNTS] as unknown as readonly Collection<object>[];
const record = (key: string, value: string) => ({ topic: 'agents', key, value }) as const;

/** Contract of {@link DocumentStore}, for every adapter. */
export function documentStoreContract(name: string, start: () => Promise<OpenedStore>): void {
  describe(`documents in ${name}`, () => {
    let opened: OpenedStore;
    let store: DocumentStore;
    const add = (id: string, over: Partial<Thing> = {}): Promise<void> =>
      store.transact((transaction) => transaction.put(THINGS, [{ id, version: 1, body: thing(over) }]));

    beforeAll(async () => {
      opened = await start();
      store = await opened.open(BOTH);
    });
    afterAll(async () => {
      await store.close();
      await opened.cleanup();
    });
    beforeEach(async () => {
      for (const collection of [THINGS, COUNTS] as const) {
        await store.transact((transaction) => transaction.removeWhere(collection as typeof THINGS, {}, 10_000));
      }
      await store.sent((await store.pending(1000)).map(({ id }) => id));
      await store.announced((await store.unannounced(1000)).map(({ row }) => row));
    });

    it('keeps any JSON as it was, and finds it by id', async () => {
      const more = { z: 1, a: [0.1, 1e21, -0.5, null, '\u0000\ud83d\ude00'], ['$where']: 1, 'a.b': { '': true } };
      await add('one', { more });
      expect(await store.get(THINGS, 'one')).toEqual({ id: 'one', version: 1, body: thing({ more }) });
      expect(JSON.stringify((await store.get(THINGS, 'one'))?.body)).toBe(JSON.stringify(thing({ more })));
      expect(await store.get(THINGS, 'two')).toBeNull();
      expect([...(await store.getMany(THINGS, ['two', 'one'])).keys()]).toEqual(['one']);
      expect((await store.getMany(THINGS, [])).size).toBe(0);
    });

    it('writes the version after the stored one, and nothing of a transaction that has another', async () => {
      await add('one');
      await add('two');
      const writes = [
        { id: 'one', version: 2, body: thing({ size: 2 }) },
        { id: 'two', version: 3, body: thing({ size: 3 }) },
      ];
      await expect(store.transact((transaction) => transaction.put(THINGS, writes))).rejects.toThrow(Conflict);
      expect(await store.get(THINGS, 'one')).toMatchObject({ version: 1, body: { size: 1 } });
      await expect(add('one')).rejects.toThrow(Conflict);
      const absent = [{ id: 'three', version: 2, body: thing() }];
      await expect(store.transact((transaction) => transaction.put(THINGS, absent))).rejects.toThrow(Conflict);
      await store.transact((transaction) => transaction.put(THINGS, writes.slice(0, 1)));
      expect(await store.get(THINGS, 'one')).toMatchObject({ version: 2, body: { size: 2 } });
    });

    it('reads in a transaction what the transaction wrote, and outside of it what is committed', async () => {
      await add('one');
      await store.transact(async (transaction) => {
        await transaction.put(THINGS, [{ id: 'one', version: 2, body: thing({ size: 2 }) }]);
        await transaction.set(COUNTS, [{ id: 'n', body: { n: 1 } }]);
        expect((await transaction.get(THINGS, 'one'))?.body.size).toBe(2);
        expect((await transaction.getMany(COUNTS, ['n'])).get('n')?.version).toBe(1);
        expect(await transaction.find(THINGS, { where: { size: 2 }, limit: 5 })).toHaveLength(1);
        expect(await transaction.count(THINGS, { size: 1 })).toBe(0);
        expect((await store.get(THINGS, 'one'))?.body.size).toBe(1);
        expect(await store.get(COUNTS, 'n')).toBeNull();
      });
      expect((await store.get(COUNTS, 'n'))?.body).toEqual({ n: 1 });
    });

    it('takes back everything of a transaction that fails, and gives its error', async () => {
      await add('one');
      const failed = store.transact(async (transaction) => {
        await transaction.remove(THINGS, [{ id: 'one', version: 1 }]);
        await transaction.put(THINGS, [{ id: 'two', version: 1, body: thing() }]);
        await transaction.publish([record('one', '{}')]);
        await transaction.raise([{ kind: 'agent', id: 'one', version: 1 }]);
        throw new RangeError('no');
      });
      await expect(failed).rejects.toThrow(RangeError);
      expect(await store.count(THINGS)).toBe(1);
      expect(await store.pending(10)).toEqual([]);
      expect(await store.unannounced(10)).toEqual([]);
    });

    it('lets no two documents have one value of a unique key, and gives a value back with its document', async () => {
      await add('one', { name: 'x' });
      const taken = add('two', { name: 'x' });
      await expect(taken).rejects.toThrow(UniqueTaken);
      await expect(taken).rejects.toMatchObject({ collection: 'things', key: 'name' });
      await add('three', { name: null });
      await add('four', { name: null });
      const renamed = [{ id: 'three', version: 2, body: thing({ name: 'x' }) }];
      await expect(store.transact((transaction) => transaction.put(THINGS, renamed))).rejects.toThrow(UniqueTaken);
      await store.transact(async (transaction) => {
        await transaction.remove(THINGS, [{ id: 'one', version: 1 }]);
        await transaction.put(THINGS, renamed);
      });
      expect((await store.find(THINGS, { where: { name: 'x' }, limit: 5 })).map(({ id }) => id)).toEqual(['three']);
    });

    it('finds by keys, in their order or that of insertion, a page at a time', async () => {
      for (const [id, size, open] of [
        ['d', 3, true],
        ['c', 1, false],
        ['b', 2, true],
        ['a', 2, false],
      ] as const) {
        await add(id, { size, open, owner: id === 'c' ? 'b' : 'a', name: id === 'c' ? null : id });
      }
      const ids = async (query: Parameters<typeof store.find<Thing, ThingKeys>>[1]): Promise<string> =>
        (await store.find(THINGS, query)).map(({ id }) => id).join('');
      expect(await ids({ limit: 9 })).toBe('dcba');
      expect(await ids({ limit: 9, descending: true })).toBe('abcd');
      expect(await ids({ limit: 9, by: 'size' })).toBe('cbad');
      expect(await ids({ limit: 9, by: 'size', descending: true })).toBe('dabc');
      expect(await ids({ limit: 2, offset: 1, by: 'size' })).toBe('ba');
      expect(await ids({ limit: 9, by: ['size', 'open'] })).toBe('cabd');
      expect(await ids({ limit: 9, by: ['open', 'size'], descending: true })).toBe('dbac');
      expect(await ids({ limit: 0 })).toBe('');
      expect(await ids({ limit: 9, where: { owner: 'a', size: { from: 2, below: 3 } } })).toBe('ba');
      expect(await ids({ limit: 9, where: { size: { above: 2 } } })).toBe('d');
      expect(await ids({ limit: 9, where: { open: false } })).toBe('ca');
      expect(await ids({ limit: 9, where: { owner: { oneOf: ['b', 'x'] } } })).toBe('c');
      expect(await ids({ limit: 9, where: { owner: { oneOf: [] } } })).toBe('');
      expect(await ids({ limit: 9, where: { name: { noneOf: ['a', 'x'] } } })).toBe('db');
      expect(await ids({ limit: 9, where: { size: { from: 2, noneOf: [3] } }, by: 'size' })).toBe('ba');
      expect(await ids({ limit: 9, where: { owner: { noneOf: [] } } })).toBe('dcba');
      expect(await ids({ limit: 9, where: { name: null } })).toBe('c');
      expect(await ids({ limit: 9, where: { name: { contains: '' } } })).toBe('dba');
      expect(await ids({ limit: 9, where: { name: { from: 'b' } }, by: 'name' })).toBe('bd');
      expect(await store.count(THINGS, { owner: 'a', open: true })).toBe(2);
      expect(await store.count(THINGS)).toBe(4);
    });

    it('finds texts with a text in them, character by character', async () => {
      for (const [id, name] of [
        ['a', 'Booking (new)'],
        ['b', 'booking'],
        ['c', 'a.b\nc'],
        ['d', '100 % \\ [x]'],
        ['e', null],
      ] as const) {
        await add(id, { name });
      }
      const within = async (contains: string): Promise<string> =>
        (await store.find(THINGS, { where: { owner: 'a', name: { contains } }, limit: 9 }))
          .map(({ id }) => id)
          .join('');
      const expected = {
        ooking: 'ab',
        'g (': 'a',
        'a.b': 'c',
        a_b: '',
        'b\nc': 'c',
        '.': 'c',
        '*': '',
        '%': 'd',
        '\\ [': 'd',
        '\0': '',
      };
      for (const [text, found] of Object.entries(expected)) expect([text, await within(text)]).toEqual([text, found]);
      expect(await store.count(THINGS, { name: { contains: 'o', below: 'b' } })).toBe(1);
    });

    it('keeps the place of insertion when a document is written again', async () => {
      for (const id of ['one', 'two']) await add(id);
      const again = { id: 'one', version: 2, body: thing({ size: 9 }) };
      await store.transact((transaction) => transaction.put(THINGS, [again]));
      await store.transact((transaction) => transaction.set(THINGS, [{ id: 'one', body: thing({ size: 10 }) }]));
      expect((await store.find(THINGS, { limit: 9 })).map(({ id, version }) => [id, version])).toEqual([
        ['one', 3],
        ['two', 1],
      ]);
    });

    it('restores documents at the versions that are given, over any other', async () => {
      for (const id of ['one', 'two']) await add(id);
      const restored = [
        { id: 'two', version: 7, body: thing({ size: 7 }) },
        { id: 'three', version: 3, body: thing({ size: 3 }) },
      ];
      for (let times = 0; times < 2; times += 1) {
        await store.transact((transaction) => transaction.restore(THINGS, restored));
        expect(await store.find(THINGS, { limit: 9 })).toEqual([{ id: 'one', version: 1, body: thing() }, ...restored]);
      }
      expect((await store.find(THINGS, { where: { size: 7 }, limit: 9 })).map(({ id }) => id)).toEqual(['two']);
      const next = [{ id: 'three', version: 4, body: thing({ size: 4 }) }];
      await store.transact((transaction) => transaction.put(THINGS, next));
      expect(await store.get(THINGS, 'three')).toEqual(next[0]);
    });

    it('adds documents that are not there, and leaves the others', async () => {
      await add('one', { size: 9 });
      const both = ['one', 'two', 'two'].map((id) => ({ id, body: thing() }));
      expect([...(await store.transact((transaction) => transaction.add(THINGS, both)))]).toEqual(['two']);
      expect((await store.get(THINGS, 'one'))?.body.size).toBe(9);
      const second = await opened.open(BOTH);
      const added = await Promise.all(
        [store, second, store, second].map((instance) =>
          instance.transact((transaction) => transaction.add(COUNTS, [{ id: 'n', body: { n: 1 } }])),
        ),
      );
      expect(added.filter(({ size }) => size === 1)).toHaveLength(1);
      await second.close();
    });

    it('sets a document that two transactions insert at once', async () => {
      const second = await opened.open(BOTH);
      const set = (instance: DocumentStore, n: number): Promise<void> =>
        instance.transact((transaction) => transaction.set(COUNTS, [{ id: 'n', body: { n } }]));
      await Promise.all([set(store, 1), set(second, 2), set(store, 3), set(second, 4)]);
      expect(await store.get(COUNTS, 'n')).toMatchObject({ version: 4 });
      await second.close();
    });

    it('names documents that were changed beside it, when it is inspected, and reads the others', async () => {
      for (const id of ['one', 'two', 'three', 'four']) await add(id, { name: id });
      await store.transact(async (transaction) => {
        await transaction.put(COUNTS, [{ id: 'n', version: 1, body: { n: 1 } }]);
        await transaction.publish([record('n', '1')]);
        await transaction.raise([{ kind: 'agent', id: 'n', version: 1 }]);
      });
      await opened.damage('one', 'version', 2);
      await opened.damage('two', 'body', '{"owner":"a","name":"two"');
      await opened.damage('three', 'owner', 'other');
      const inspection = await opened.inspect(BOTH);
      const all = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
        const found: T[] = [];
        for await (const row of rows) found.push(row);
        return found;
      };
      expect(await all(inspection.problems())).toEqual([
        { place: 'things one', problem: expect.stringContaining('changed') },
        { place: 'things three', problem: expect.stringContaining('owner') },
        { place: 'things two', problem: expect.stringContaining('changed') },
      ]);
      expect((await all(inspection.documents(THINGS))).map(({ id }) => id)).toEqual(['four', 'one', 'three']);
      expect(await all(inspection.documents(COUNTS))).toEqual([{ id: 'n', version: 1, body: { n: 1 } }]);
      expect((await all(inspection.outbox())).map((row) => row.record)).toEqual([record('n', '1')]);
      expect(await all(inspection.raises())).toEqual([expect.objectContaining({ kind: 'agent', id: 'n', version: 1 })]);
      await inspection.close();
      const newer = { ...THINGS, keysVersion: 2 } as unknown as Collection<object>;
      await expect(opened.inspect([newer])).rejects.toThrow('not of this release');
    });

    it('removes a document at its version alone, and ranges up to a limit', async () => {
      for (const n of [1, 2, 3, 4]) await add(`t${n}`, { size: n });
      const other = store.transact((transaction) => transaction.remove(THINGS, [{ id: 't1', version: 2 }]));
      await expect(other).rejects.toThrow(Conflict);
      const below = (limit: number): Promise<number> =>
        store.transact((transaction) => transaction.removeWhere(THINGS, { size: { below: 4 } }, limit));
      expect(await below(2)).toBe(2);
      expect((await store.find(THINGS, { limit: 9 })).map(({ id }) => id)).toEqual(['t3', 't4']);
      expect([await below(2), await below(2), await below(0)]).toEqual([1, 0, 0]);
    });

    it('removes what lies in a range of ids, the lowest first, at most so much', async () => {
      for (const id of ['d', 'b', 'e', 'a', 'c']) await add(id);
      const removed = (limit: number): Promise<number> =>
        store.transact((transaction) => transaction.removeRange(THINGS, 'b', 'e', limit));
      expect([await removed(2), await removed(0)]).toEqual([2, 0]);
      expect((await store.find(THINGS, { limit: 9 })).map(({ id }) => id)).toEqual(['d', 'e', 'a']);
      expect([await removed(2), await removed(2)]).toEqual([1, 0]);
      expect((await store.find(THINGS, { limit: 9 })).map(({ id }) => id)).toEqual(['e', 'a']);
    });

    it('never gives a document of a sealed collection that was changed beside it', async () => {
      const sealed = { ...THINGS, isSealed: true } as const;
      await add('one');
      await add('two');
      await opened.damage('one', 'body', JSON.stringify(thing({ size: 7 })));
      const named = { name: 'StoreDamaged', message: expect.stringMatching(/things one is not as it was written/) };
      await expect(store.get(sealed, 'one')).rejects.toMatchObject(named);
      await expect(store.getMany(sealed, ['two', 'one'])).rejects.toMatchObject(named);
      await expect(store.find(sealed, { limit: 9 })).rejects.toMatchObject(named);
      await expect(store.transact((transaction) => transaction.get(sealed, 'one'))).rejects.toMatchObject(named);
      const all = async (): Promise<void> => {
        for await (const { id } of store.all(sealed)) expect(id).not.toBe('one');
      };
      await expect(all()).rejects.toMatchObject(named);
      expect(await store.get(sealed, 'two')).toMatchObject({ version: 1 });
    });

    it('gives every document in the order of ids', async () => {
      const count = 1203;
      await store.transact((transaction) =>
        transaction.put(
          COUNTS,
          Array.from({ length: count }, (_, n) => ({ id: String((n * 7919) % count), version: 1, body: { n } })),
        ),
      );
      const ids: string[] = [];
      for await (const { id } of store.all(COUNTS)) ids.push(id);
      expect(ids).toEqual(Array.from({ length: count }, (_, n) => String(n)).sort());
    });

    it('adds every increment of transactions that run at the same time, on two instances', async () => {
      const second = await opened.open(BOTH);
      await store.transact((transaction) => transaction.put(COUNTS, [{ id: 'n', version: 1, body: { n: 0 } }]));
      const add = (instance: DocumentStore): Promise<void> =>
        instance.transact(async (transaction) => {
          const { version, body } = (await transaction.get(COUNTS, 'n'))!;
          await transaction.put(COUNTS, [{ id: 'n', version: version + 1, body: { n: body.n + 1 } }]);
          await transaction.publish([record('n', String(body.n + 1))]);
        });
      await Promise.all(
        Array.from({ length: 4 }, async (_, n) => {
          for (let i = 0; i < 10; i += 1) await add(n % 2 === 0 ? store : second);
        }),
      );
      expect(await store.get(COUNTS, 'n')).toEqual({ id: 'n', version: 41, body: { n: 40 } });
      const values = (await second.pending(100)).map(({ record: { value } }) => value);
      expect(values).toEqual(Array.from({ length: 40 }, (_, n) => String(n + 1)));
      await second.close();
    });

    it('lets one of two transactions through that each expect what the other writes', async () => {
      const second = await opened.open(BOTH);
      await store.transact((transaction) =>
        transaction.put(
          COUNTS,
          ['a', 'b'].map((id) => ({ id, version: 1, body: { n: 1 } })),
        ),
      );
      const swap = (instance: DocumentStore, mine: string, other: string): Promise<boolean> =>
        instance
          .transact(async (transaction) => {
            if ((await transaction.get(COUNTS, other))?.body.n !== 1) return false;
            await transaction.expect(COUNTS, other, 1);
            await transaction.put(COUNTS, [{ id: mine, version: 2, body: { n: 0 } }]);
            return true;
          })
          .catch((error: unknown) => {
            if (error instanceof Conflict) return false;
            throw error;
          });
      const results = await Promise.all([swap(store, 'a', 'b'), swap(second, 'b', 'a')]);
      expect([...results].sort()).toEqual([false, true]);
      const missing = store.transact((transaction) => transaction.expect(COUNTS, 'c', 1));
      await expect(missing).rejects.toThrow(Conflict);
      await second.close();
    });

    it('gives the records of a key in the order of their transactions, until they are sent', async () => {
      const publish = (...records: ReturnType<typeof record>[]): Promise<void> =>
        store.transact(async (transaction) => {
          const at = (await transaction.get(COUNTS, 'n'))?.version ?? 0;
          await transaction.put(COUNTS, [{ id: 'n', version: at + 1, body: { n: at } }]);
          await transaction.publish(records);
          await transaction.raise(records.map(({ key }) => ({ kind: 'agent', id: key, version: at + 1 })));
        });
      await publish(record('k', '1'), record('l', 'a'), record('k', '2'));
      await publish(record('k', '3'));
      const valuesOf = (rows: Awaited<ReturnType<DocumentStore['pending']>>, key: string): string[] =>
        rows.filter((row) => row.record.key === key).map((row) => row.record.value);
      const first = await store.pending(10);
      expect([valuesOf(first, 'k'), valuesOf(first, 'l')]).toEqual([['1', '2', '3'], ['a']]);
      expect(await store.pending(2)).toHaveLength(2);
      const [oldest] = first.filter((row) => row.record.key === 'k');
      await store.sent([oldest!.id]);
      await store.sent([oldest!.id]);
      await publish(record('k', '4'));
      expect(valuesOf(await store.pending(10), 'k')).toEqual(['2', '3', '4']);
      await store.sent((await store.pending(10)).map(({ id }) => id));
      expect(await store.pending(10)).toEqual([]);

      const raises = await store.unannounced(10);
      expect(raises.map(({ kind, id, version }) => `${kind} ${id} ${version}`)).toEqual(
        expect.arrayContaining(['agent k 1', 'agent l 1', 'agent k 2', 'agent k 3']),
      );
      await store.announced(raises.map(({ row }) => row));
      expect(await store.unannounced(10)).toEqual([]);
    });

    it('computes keys again that a newer release reads differently, and refuses those of a newer one', async () => {
      await add('one', { size: 3 });
      await add('two', { size: 4 });
      const newer: Collection<Thing> = {
        name: 'things',
        keysOf: ({ size }) => ({ half: Math.floor(size / 2) }),
        keys: { half: 'number' },
        keysVersion: 2,
        indexes: [['half']],
      };
      const later = await opened.open([newer, COUNTS] as unknown as readonly Collection<object>[]);
      expect((await later.find(newer, { where: { half: 2 }, limit: 9 })).map(({ id }) => id)).toEqual(['two']);
      await later.transact((transaction) =>
        transaction.put(
          newer,
          ['x', 'y'].map((id) => ({ id, version: 1, body: thing({ name: 'same' }) })),
        ),
      );
      await later.close();
      await expect(opened.open(BOTH)).rejects.toThrow('newer release');
    });
  });
}
