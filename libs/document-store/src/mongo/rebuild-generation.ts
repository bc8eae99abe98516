import { randomBytes } from 'node:crypto';
import { generationOf, GENERATIONS, suffixInUse } from './generation.js';
import type { GenerationCollection, GenerationDatabase } from './generation.js';

/** The driver's `Db` has it. */
export interface RebuildDatabase extends GenerationDatabase {
  listCollections(
    filter: object,
    options: { readonly nameOnly: true },
  ): { toArray(): Promise<readonly { readonly name: string }[]> };
  renameCollection(from: string, to: string): Promise<unknown>;
  dropCollection(name: string): Promise<unknown>;
}

/** Steps of {@link GenerationRebuild.replace}, for tests that interrupt it; `renamed` comes once for each collection. */
export type ReplaceStep = 'replaced' | 'renamed';

export interface ReplaceOptions {
  /** Why the store must be taken to be in use; `null`: it is not. */
  readonly inUse: () => Promise<string | null>;
  /** For tests. */
  readonly at?: (step: ReplaceStep) => void;
}

/** The store is in use, or another command rebuilds it: nothing was replaced. */
export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused';
}

const MADE = '.rebuilt-';

/**
 * Rebuilds a service's store apart from the one in use: fills collections with a suffix of their own, and puts them in use by
 * one write. Interrupted before that write it has changed nothing; after it, the replaced collections may still have to
 * be renamed, which the next rebuild does.
 */
export class GenerationRebuild {
  readonly #documents: GenerationCollection;
  /** Ends the names of the collections to fill. */
  readonly suffix = `${MADE}${randomBytes(4).toString('hex')}`;

  /** @param collections all of the store, by their names without a suffix */
  constructor(
    private readonly db: RebuildDatabase,
    private readonly service: string,
    private readonly collections: readonly string[],
  ) {
    this.#documents = db.collection(GENERATIONS);
  }

  /** Records that the store is being rebuilt, and removes what an interrupted rebuild has left. */
  async begin(): Promise<void> {
    const inUse = await suffixInUse(this.db, this.service);
    await this.#rename();
    for (const name of await this.#names()) {
      if (this.collections.some((own) => name.startsWith(own + MADE) && name !== own + inUse))
        await this.db.dropCollection(name);
    }
    await this.#documents.updateOne({ _id: this.service }, { $set: { making: this.suffix } }, { upsert: true });
  }

  /**
   * Puts what was filled in use. What was in use is renamed, and kept.
   * @returns the end of the names of what is kept; `null`: there was nothing
   * @throws RebuildRefused when the store was used since {@link begin}, another command rebuilds it, or it is in use
   */
  async replace(now: Date, { inUse, at }: ReplaceOptions): Promise<string | null> {
    const why = await inUse();
    if (why !== null) throw new RebuildRefused(why);
    const stamp = now.toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');
    const leaving = { suffix: await suffixInUse(this.db, this.service), stamp };
    const { matchedCount } = await this.#documents.updateOne(
      { _id: this.service, making: this.suffix },
      { $set: { suffix: this.suffix, leaving }, $unset: { making: '' } },
    );
    if (matchedCount === 0) {
      throw new RebuildRefused(`${this.service} was used meanwhile, or is rebuilt by another command`);
    }
    at?.('replaced');
    return this.#rename(at);
  }

  /** Removes what was filled and not put in use: it holds content that no later erasure would reach. */
  async discard(): Promise<void> {
    if ((await suffixInUse(this.db, this.service)) === this.suffix) return;
    await this.#documents.updateOne({ _id: this.service, making: this.suffix }, { $unset: { making: '' } });
    const there = await this.#names();
    for (const own of this.collections) {
      if (there.has(own + this.suffix)) await this.db.dropCollection(own + this.suffix);
    }
  }

  /** Renames what was replaced. @returns as {@link replace} */
  async #rename(at?: (step: ReplaceStep) => void): Promise<string | null> {
    const leaving = (await generationOf(this.db, this.service))?.leaving;
    if (leaving === undefined) return null;
    const kept = `.damaged-${leaving.stamp}`;
    for (const name of this.collections) {
      const there = await this.#names();
      const old = name + leaving.suffix;
      if (!there.has(old)) continue;
      await this.db.renameCollection(old, freeName(name + kept, there));
      at?.('renamed');
    }
    await this.#documents.updateOne({ _id: this.service }, { $unset: { leaving: '' } });
    const there = await this.#names();
    return this.collections.some((name) => there.has(name + kept)) ? kept : null;
  }

  async #names(): Promise<ReadonlySet<string>> {
    const listed = await this.db.listCollections({}, { nameOnly: true }).toArray();
    return new Set(listed.map(({ name }) => name));
  }
}

function freeName(name: string, there: ReadonlySet<string>): string {
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? name : `${name}-${n}`;
    if (!there.has(free)) return free;
  }
}
