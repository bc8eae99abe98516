import { randomBytes } from 'node:crypto';
import { isDuplicateKey } from '../mongo/mongo-errors.js';
import { REBUILDS, type FenceDatabase, type RebuildCollection, type RebuildDocument } from './rebuild-fence.js';

/** What is asked of a database; the driver's `Db` has it. */
export interface SwapDatabase extends FenceDatabase {
  listCollections(
    filter: object,
    options: { readonly nameOnly: true },
  ): { toArray(): Promise<readonly { readonly name: string }[]> };
  renameCollection(from: string, to: string): Promise<unknown>;
  dropCollection(name: string): Promise<unknown>;
}

/** Where a crash is looked at by tests; `announced` when nobody was found to use the store, `kept` and `swapped` once for each collection. */
export type SwapStep = 'announced' | 'kept' | 'swapped' | 'done';

export interface SwapOptions {
  /** Why the store must be taken to be in use, in plain words; `null`: it is not. Asked when the swap is announced. */
  readonly inUse: () => Promise<string | null>;
  /** For tests. */
  readonly at?: (step: SwapStep) => void;
}

/** The store is in use, or another command works on it: nothing was replaced. */
export class SwapRefused extends Error {
  override readonly name = 'SwapRefused';
}

/**
 * Replaces the collections of a store by others that were made beside them, in the same database. Renaming one is atomic,
 * renaming all of them is not: a document announces the swap before the first and is removed after the last. In between
 * no instance of the service opens the store, and whoever comes next, after a crash, goes on where it ended.
 */
export class StoreSwap {
  readonly #db: SwapDatabase;
  readonly #rebuilds: RebuildCollection;
  readonly #store: string;
  readonly #collections: readonly string[];
  readonly #token = randomBytes(4).toString('hex');

  /**
   * @param store name of the service
   * @param collections all of them, by their names in use
   */
  constructor(db: SwapDatabase, store: string, collections: readonly string[]) {
    this.#db = db;
    this.#rebuilds = db.collection(REBUILDS);
    this.#store = store;
    this.#collections = collections;
  }

  /** Stands at the end of the names of what is made. */
  get suffix(): string {
    return madeSuffix(this.#token);
  }

  /** A swap was announced and has not ended. */
  async interrupted(): Promise<boolean> {
    return (await this.#announced()) !== null;
  }

  /**
   * Says that the store is being made anew, and removes what an earlier command has left beside it.
   * @throws SwapRefused where a swap has not ended
   */
  async begin(): Promise<void> {
    const filter = { _id: this.#store, state: { $ne: 'swapping' } };
    const making = { $set: { state: 'making', token: this.#token } };
    await this.#rebuilds.updateOne(filter, making, { upsert: true }).catch((error: unknown) => {
      if (isDuplicateKey(error)) throw new SwapRefused(`a swap of ${this.#store} has not ended`, { cause: error });
      throw error;
    });
    await this.#dropMade(madeSuffix(''));
  }

  /**
   * Puts what was made in place of what is there, which is kept under names of its own.
   * @returns the end of the names of what was kept; `null`: nothing was there
   * @throws SwapRefused when the store was opened since {@link begin}, another command makes it, or it is in use
   */
  async swap(now: Date, options: SwapOptions): Promise<string | null> {
    const there = await this.#names();
    const made = this.#collections.filter((name) => there.has(name + this.suffix));
    const stamp = now.toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');
    const { matchedCount } = await this.#rebuilds.updateOne(
      { _id: this.#store, state: 'making', token: this.#token },
      { $set: { state: 'swapping', stamp, made } },
    );
    if (matchedCount === 0)
      throw new SwapRefused(`${this.#store} was started meanwhile, or made anew by another command`);
    const inUse = await options.inUse().catch(async (error: unknown) => {
      // Where this fails as well, the next command withdraws it.
      await this.#withdraw().catch(() => undefined);
      throw error;
    });
    if (inUse !== null) {
      await this.#withdraw();
      throw new SwapRefused(inUse);
    }
    const confirmed = await this.#rebuilds.updateOne(
      { _id: this.#store, state: 'swapping', token: this.#token },
      { $set: { confirmed: true } },
    );
    if (confirmed.matchedCount === 0) throw new SwapRefused(`another command withdrew the swap of ${this.#store}`);
    options.at?.('announced');
    return this.#replace({ _id: this.#store, state: 'swapping', token: this.#token, stamp, made }, options);
  }

  /**
   * Ends a swap that was interrupted. One that was only announced is withdrawn, and what was made for it removed: an
   * instance may have gone on writing.
   * @returns as {@link swap}; `undefined`: nothing was replaced
   * @throws SwapRefused where the store is in use, or another command begins to replace it
   */
  async resume(options: SwapOptions): Promise<string | null | undefined> {
    const announced = await this.#announced();
    if (announced === null) return undefined;
    if (announced.confirmed === undefined) {
      const { token } = announced;
      const unconfirmed = { _id: this.#store, token, confirmed: { $exists: false } };
      const { deletedCount } = await this.#rebuilds.deleteOne(unconfirmed);
      if (deletedCount === 0) throw new SwapRefused(`another command works on ${this.#store}`);
      await this.#dropMade(madeSuffix(token));
      return undefined;
    }
    const inUse = await options.inUse();
    if (inUse !== null) throw new SwapRefused(inUse);
    return this.#replace(announced, options);
  }

  /** Removes what was made and not swapped in: it holds content that no later erasure would reach. */
  async discard(): Promise<void> {
    if ((await this.#announced())?.token === this.#token) return;
    await this.#withdraw();
    await this.#dropMade(this.suffix);
  }

  async #replace({ token, stamp = '', made = [] }: RebuildDocument, { at }: SwapOptions): Promise<string | null> {
    const kept = `.damaged-${stamp}`;
    for (const name of this.#collections) {
      const there = await this.#names();
      const fresh = name + madeSuffix(token);
      const isDone = made.includes(name) && !there.has(fresh);
      if (isDone) continue;
      // Kept already and there again: somebody wrote late. It is kept as well, and not mixed with what was made.
      if (there.has(name)) await this.#db.renameCollection(name, freeName(name + kept, there));
      at?.('kept');
      if (there.has(fresh)) await this.#db.renameCollection(fresh, name);
      at?.('swapped');
    }
    await this.#rebuilds.deleteOne({ _id: this.#store, token });
    at?.('done');
    const names = await this.#names();
    return this.#collections.some((name) => names.has(name + kept)) ? kept : null;
  }

  async #announced(): Promise<RebuildDocument | null> {
    return (await this.#rebuilds.findOne({ _id: this.#store, state: 'swapping' })) as RebuildDocument | null;
  }

  async #withdraw(): Promise<void> {
    await this.#rebuilds.deleteOne({ _id: this.#store, token: this.#token });
  }

  async #dropMade(suffix: string): Promise<void> {
    for (const there of await this.#names()) {
      if (this.#collections.some((name) => there.startsWith(name + suffix))) await this.#db.dropCollection(there);
    }
  }

  async #names(): Promise<ReadonlySet<string>> {
    const listed = await this.#db.listCollections({}, { nameOnly: true }).toArray();
    return new Set(listed.map(({ name }) => name));
  }
}

function madeSuffix(token: string): string {
  return `.rebuilding-${token}`;
}

function freeName(name: string, there: ReadonlySet<string>): string {
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? name : `${name}-${n}`;
    if (!there.has(free)) return free;
  }
}
