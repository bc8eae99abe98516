import { StoreUnreachable } from '../port.js';
import { Generation, GENERATIONS, suffixInUse } from './generation.js';
import type { GenerationDocument } from './generation.js';
import { GenerationRebuild, RebuildRefused } from './rebuild-generation.js';
import type { RebuildDatabase } from './rebuild-generation.js';

const NOW = new Date('2026-11-22T10:20:30.456Z');
const KEPT = '.damaged-20261122T102030Z';

/** Collections by name, each with what it holds, and the one document of the store. */
class Database {
  readonly holds = new Map<string, string>();
  document: GenerationDocument | null = null;
  olderRebuild: object | null = null;

  readonly db = {
    collection: (name: string) => ({
      findOne: async (filter: object) => {
        if (name !== GENERATIONS) return this.olderRebuild;
        return this.#matches(filter) ? this.document : null;
      },
      updateOne: async (
        filter: object,
        { $set = {}, $unset = {} }: { readonly $set?: object; readonly $unset?: object },
        options?: { readonly upsert: boolean },
      ) => {
        const matchedCount = this.#matches(filter) ? 1 : 0;
        if (matchedCount === 1 || options?.upsert === true) {
          const kept = Object.entries({ ...this.document, ...$set }).filter(([key]) => !(key in $unset));
          this.document = { _id: 'facts', ...Object.fromEntries(kept) };
        }
        return { matchedCount };
      },
    }),
    listCollections: () => ({ toArray: async () => [...this.holds.keys()].map((name) => ({ name })) }),
    renameCollection: async (from: string, to: string) => {
      this.holds.set(to, this.holds.get(from)!);
      this.holds.delete(from);
    },
    dropCollection: async (name: string) => this.holds.delete(name),
  } as unknown as RebuildDatabase;

  #matches(filter: object): boolean {
    const { document } = this;
    if (document === null) return false;
    return Object.entries(filter).every(([name, wanted]) => document[name as keyof GenerationDocument] === wanted);
  }
}

describe('a rebuild', () => {
  const free = { inUse: async () => null };
  let database: Database;
  let rebuild: GenerationRebuild;

  const begin = async (fills: string): Promise<GenerationRebuild> => {
    const command = new GenerationRebuild(database.db, 'facts', ['a', 'b']);
    await command.begin();
    for (const name of ['a', 'b']) database.holds.set(name + command.suffix, fills);
    return command;
  };
  const open = (): Promise<Generation> => Generation.open(database.db, 'facts');
  beforeEach(async () => {
    database = new Database();
    database.holds.set('a', 'old').set('b', 'old');
    rebuild = await begin('new');
  });
  const held = () => Object.fromEntries(database.holds);
  /** Contents that an instance finds which starts now. */
  const inUse = async () => {
    const { suffix } = await open();
    return ['a', 'b'].map((name) => database.holds.get(name + suffix));
  };
  const OLD = { a: 'old', b: 'old' };

  it('puts what it filled in use and keeps the rest, again and again', async () => {
    expect(await rebuild.replace(NOW, free)).toBe(KEPT);
    await rebuild.discard();
    expect(await inUse()).toEqual(['new', 'new']);
    expect(held()).toMatchObject({ [`a${KEPT}`]: 'old', [`b${KEPT}`]: 'old' });
    const second = await begin('newer');
    expect(await inUse()).toEqual(['new', 'new']);
    await second.discard();
    const third = await begin('newest');
    expect(await third.replace(NOW, free)).toBe(KEPT);
    expect(await inUse()).toEqual(['newest', 'newest']);
    expect(held()).toMatchObject({ [`a${KEPT}`]: 'old', [`a${KEPT}-2`]: 'new', [`b${KEPT}-2`]: 'new' });
    expect(Object.keys(held()).length).toBe(6);
  });

  it('changes nothing where it is interrupted, and the next removes what it filled', async () => {
    expect(await inUse()).toEqual(['old', 'old']);
    const next = await begin('newer');
    expect(Object.keys(held()).sort()).toEqual(['a', `a${next.suffix}`, 'b', `b${next.suffix}`].sort());
  });

  it.each([
    ['replaced', 1],
    ['renamed', 1],
    ['renamed', 2],
  ] as const)('is in use where it died at %s, %i, and the next keeps what it replaced', async (step, nth) => {
    let met = 0;
    const at = (reached: string): void => {
      met += reached === step ? 1 : 0;
      if (met === nth) throw new Error('killed');
    };
    await expect(rebuild.replace(NOW, { ...free, at })).rejects.toThrow('killed');
    await rebuild.discard();
    expect(await inUse()).toEqual(['new', 'new']);
    const next = await begin('newer');
    await next.discard();
    expect(held()).toEqual({
      [`a${rebuild.suffix}`]: 'new',
      [`b${rebuild.suffix}`]: 'new',
      [`a${KEPT}`]: 'old',
      [`b${KEPT}`]: 'old',
    });
  });

  it.each([
    ['opened the store', async () => void (await open())],
    ['used the store', async (instance: Generation) => instance.require()],
  ])('is refused once an instance has %s', async (_what, use) => {
    const instance = await open();
    rebuild = await begin('new');
    await use(instance);
    await expect(rebuild.replace(NOW, free)).rejects.toThrow(RebuildRefused);
    await rebuild.discard();
    expect(held()).toEqual(OLD);
    await instance.require();
  });

  it('is refused where the store is in use, or that cannot be found out', async () => {
    await expect(rebuild.replace(NOW, { inUse: async () => 'an instance runs' })).rejects.toThrow('an instance runs');
    const unknown = async (): Promise<never> => {
      throw new Error('Kafka does not answer');
    };
    await expect(rebuild.replace(NOW, { inUse: unknown })).rejects.toThrow('Kafka does not answer');
    await rebuild.discard();
    expect(held()).toEqual(OLD);
  });

  it('is refused where another has begun since', async () => {
    const second = await begin('newer');
    await expect(rebuild.replace(NOW, free)).rejects.toThrow('rebuilt by another command');
    await rebuild.discard();
    expect(await second.replace(NOW, free)).toBe(KEPT);
    expect(await inUse()).toEqual(['newer', 'newer']);
  });

  it('refuses an instance that used what was replaced', async () => {
    rebuild = await begin('new');
    const instance = await open();
    const next = await begin('newer');
    await next.replace(NOW, free);
    await expect(instance.require()).rejects.toThrow(StoreUnreachable);
    await expect(instance.require()).rejects.toThrow(
      'was rebuilt by countersign fsck --rebuild: restart this instance',
    );
  });

  it('is not begun, nor is the store opened, where the release before was interrupted', async () => {
    database.olderRebuild = { _id: 'facts', state: 'swapping' };
    await expect(suffixInUse(database.db, 'facts')).rejects.toThrow('of the release before this one again');
    await expect(open()).rejects.toThrow('half replaced');
    await expect(rebuild.begin()).rejects.toThrow('half replaced');
  });
});
