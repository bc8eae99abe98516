import { StoreUnreachable } from '../port.js';

/** A store whose collections are being replaced, or were being when the command that does it died. */
export interface RebuildDocument {
  /** Name of the service. */
  readonly _id: string;
  /** `making`: beside the collections, which are in use as ever; `swapping`: they are being replaced, nobody may use them. */
  readonly state: 'making' | 'swapping';
  /** Of the command that makes it; stands in the names of what it makes. */
  readonly token: string;
  /** When the swap began, as it stands in the names of what is kept; while `swapping`. */
  readonly stamp?: string;
  /** Collections of which a new one was made; while `swapping`. */
  readonly made?: readonly string[];
  /** Nobody was using the store once the swap was announced; absent: nothing was renamed yet. */
  readonly confirmed?: true;
}

/** What is asked of the collection; the driver's `Collection` has it. */
export interface RebuildCollection {
  findOne(filter: object): Promise<object | null>;
  deleteOne(filter: object): Promise<{ readonly deletedCount: number }>;
  updateOne(
    filter: object,
    update: object,
    options?: { readonly upsert: boolean },
  ): Promise<{ readonly matchedCount: number }>;
}

/** What is asked of a database; the driver's `Db` has it. */
export interface FenceDatabase {
  collection(name: string): RebuildCollection;
}

export const REBUILDS = 'countersign_rebuilds';

/**
 * Keeps an instance of a service and the command that replaces its collections apart. Each says first that it is there,
 * and looks for the other then, so that one of the two sees the other: an instance by opening the store, by joining its
 * consumer group or by leading; the command by the document of the store.
 */
export class RebuildFence {
  readonly #rebuilds: RebuildCollection;
  readonly #store: string;

  /** @param store name of the service */
  constructor(db: FenceDatabase, store: string) {
    this.#rebuilds = db.collection(REBUILDS);
    this.#store = store;
  }

  /**
   * The fence of a store that is being opened; `null` for collections that are made beside those in use.
   * @param suffix of the collections
   * @throws StoreUnreachable while its collections are being replaced
   */
  static async open(db: FenceDatabase, store: string, suffix: string | undefined): Promise<RebuildFence | null> {
    if (suffix !== undefined) return null;
    const fence = new RebuildFence(db, store);
    await fence.opened();
    return fence;
  }

  /**
   * Called before a store is used: what is being made beside it is out of date from now on, and is not swapped in.
   * @throws StoreUnreachable while its collections are being replaced
   */
  async opened(): Promise<void> {
    await this.#rebuilds.deleteOne({ _id: this.#store, state: 'making' });
    await this.require();
  }

  /** @throws StoreUnreachable while its collections are being replaced */
  async require(): Promise<void> {
    if ((await this.#rebuilds.findOne({ _id: this.#store, state: 'swapping' })) === null) return;
    throw new StoreUnreachable(
      `the collections of ${this.#store} are being replaced by countersign fsck --rebuild: where it was killed, run it again`,
    );
  }
}
