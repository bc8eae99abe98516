import type { RebuildDocument } from './rebuild-fence.js';
import { StoreSwap, type SwapDatabase } from './store-swap.js';

const NOW = new Date('2026-11-22T10:20:30.456Z');
const KEPT = '.damaged-20261122T102030Z';

/** Collections by name, each with what it holds, and the one document of the store. */
class Database {
  readonly holds = new Map<string, string>();
  document: RebuildDocument | null = null;

  readonly db = {
    collection: () => ({
      findOne: async (filter: object) => (this.#matches(filter) ? this.document : null),
      deleteOne: async (filter: object) => {
        const deletedCount = this.#matches(filter) ? 1 : 0;
        if (deletedCount === 1) this.document = null;
        return { deletedCount };
      },
      updateOne: async (
        filter: object,
        { $set }: { readonly $set: object },
        options?: { readonly upsert: boolean },
      ) => {
        const matchedCount = this.#matches(filter) ? 1 : 0;
        if (matchedCount === 1 || options?.upsert === true)
          this.document = { _id: 'facts', ...this.document, ...$set } as RebuildDocument;
        return { matchedCount };
      },
    }),
    listCollections: () => ({ toArray: async () => [...this.holds.keys()].map((name) => ({ name })) }),
    renameCollection: async (from: string, to: string) => {
      this.holds.set(to, this.holds.get(from)!);
      this.holds.delete(from);
    },
    dropCollection: async (name: string) => this.holds.delete(name),
  } as unknown as SwapDatabase;

  #matches(filter: object): boolean {
    const { document } = this;
    if (document === null) return false;
    return Object.entries(filter).every(([name, wanted]: [string, unknown]) => {
      const is = document[name as keyof RebuildDocument];
      if (typeof wanted !== 'object' || wanted === null) return is === wanted;
      return '$ne' in wanted ? is !== wanted.$ne : is === undefined;
    });
  }
}

describe('a swap', () => {
  const free = { inUse: async () => null };
  let database: Database;
  let swap: StoreSwap;

  const command = () => new StoreSwap(database.db, 'facts', ['a', 'b']);
  beforeEach(async () => {
    database = new Database();
    database.holds.set('a', 'old').set('b', 'old');
    swap = command();
    await swap.begin();
    database.holds.set(`a${swap.suffix}`, 'new').set(`b${swap.suffix}`, 'new');
  });
  const held = () => Object.fromEntries(database.holds);
  const OLD = { a: 'old', b: 'old' };

  it('is withdrawn where it cannot be found out who uses the store', async () => {
    const unknown = async (): Promise<never> => {
      throw new Error('Kafka does not answer');
    };
    await expect(swap.swap(NOW, { inUse: unknown })).rejects.toThrow('Kafka does not answer');
    expect(database.document).toBeNull();
    await swap.discard();
    expect(held()).toEqual(OLD);
  });

  it('is taken back by the next command where it was only announced, and refuses the first if that lives', async () => {
    let answer: (why: null) => void = () => undefined;
    const found = new Promise<null>((resolve) => (answer = resolve));
    let asks: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (asks = resolve));
    const inUse = (): Promise<null> => {
      asks();
      return found;
    };
    const refused = expect(swap.swap(NOW, { inUse })).rejects.toThrow('another command withdrew the swap of facts');
    await asked;
    expect(await command().resume(free)).toBeUndefined();
    expect([held(), database.document]).toEqual([OLD, null]);
    answer(null);
    await refused;
    expect(held()).toEqual(OLD);
  });

  it('is ended by the next command once nobody was found to use the store', async () => {
    const dying = (): void => {
      throw new Error('killed');
    };
    await expect(swap.swap(NOW, { ...free, at: dying })).rejects.toThrow('killed');
    expect(await command().resume(free)).toBe(KEPT);
    expect(held()).toEqual({ a: 'new', b: 'new', [`a${KEPT}`]: 'old', [`b${KEPT}`]: 'old' });
  });
});
