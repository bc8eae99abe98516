import type { ClientSession } from 'mongoose';
import { StoreUnreachable } from '../port.js';

/** Which collections of a service are in use. Absent: those without a suffix, and no rebuild is under way. */
export interface GenerationDocument {
  /** Name of the service. */
  readonly _id: string;
  /** Ends the names of the collections in use. */
  readonly suffix?: string;
  /** Ends the names of those that a rebuild fills; removed by any instance that uses the store meanwhile. */
  readonly making?: string;
  /** Collections that were replaced and are not renamed yet. */
  readonly leaving?: { readonly suffix: string; readonly stamp: string };
}

interface SessionOptions {
  readonly session?: ClientSession | undefined;
}

/** The driver's `Collection` has it. */
export interface GenerationCollection {
  findOne(filter: object, options?: SessionOptions): Promise<object | null>;
  updateOne(
    filter: object,
    update: object,
    options?: SessionOptions & { readonly upsert?: boolean },
  ): Promise<{ readonly matchedCount: number }>;
}

/** The driver's `Db` has it. */
export interface GenerationDatabase {
  collection(name: string): GenerationCollection;
}

export const GENERATIONS = 'countersign_generations';
/** Where a release before this one recorded a rebuild that replaced collections one by one. */
const OLDER_REBUILDS = 'countersign_rebuilds';

/**
 * Suffix of the collections of a service that are in use.
 * @throws where a release before this one was interrupted while it replaced them
 */
export async function suffixInUse(db: GenerationDatabase, service: string): Promise<string> {
  const older = await db.collection(OLDER_REBUILDS).findOne({ _id: service, state: 'swapping' });
  if (older !== null) {
    throw new Error(
      `the collections of ${service} are half replaced: run countersign fsck --rebuild of the release before this one again`,
    );
  }
  return (await generationOf(db, service))?.suffix ?? '';
}

export async function generationOf(db: GenerationDatabase, service: string): Promise<GenerationDocument | null> {
  return (await db.collection(GENERATIONS).findOne({ _id: service })) as GenerationDocument | null;
}

/**
 * The collections that an instance of a service uses. A rebuild fills others and puts them in use by one write; that write
 * fails if an instance has used the store since the rebuild began, so no change of an instance is lost.
 */
export class Generation {
  readonly #documents: GenerationCollection;

  private constructor(
    db: GenerationDatabase,
    private readonly service: string,
    /** Ends the names of the collections. */
    readonly suffix: string,
  ) {
    this.#documents = db.collection(GENERATIONS);
  }

  /** The generation in use. A rebuild that is under way will not replace it. */
  static async open(db: GenerationDatabase, service: string): Promise<Generation> {
    const generation = new Generation(db, service, await suffixInUse(db, service));
    await generation.require();
    return generation;
  }

  /**
   * Called in each transaction that writes, or, where a store has none, after an instance has joined its consumer group
   * and before it reads its position. A rebuild that is under way will not replace the store then.
   * @throws StoreUnreachable once another generation is in use
   */
  async require(session?: ClientSession): Promise<void> {
    const options = session === undefined ? {} : { session };
    const filter = { _id: this.service };
    const document = (await this.#documents.findOne(filter, options)) as GenerationDocument | null;
    this.#compare(document);
    if (document?.making === undefined) return;
    await this.#documents.updateOne(filter, { $unset: { making: '' } }, options);
    // In a transaction both are of one moment; without one the rebuild may have ended in between.
    if (session === undefined) this.#compare((await this.#documents.findOne(filter)) as GenerationDocument | null);
  }

  #compare(document: GenerationDocument | null): void {
    if ((document?.suffix ?? '') === this.suffix) return;
    throw new StoreUnreachable(
      `the store of ${this.service} was rebuilt by countersign fsck --rebuild: restart this instance`,
    );
  }
}
