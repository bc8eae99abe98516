import type { GenerationRebuild } from '../mongo/rebuild-generation.js';

/** Provided by a service for the rebuild of its store in MongoDB. */
export interface StoreRebuild {
  /** Consumer group of its instances; `null`: they are in none. */
  readonly group: string | null;
  readonly generation: GenerationRebuild;
  /** The sign that an instance runs which is in no consumer group; `null`: there is none. */
  inUse(): Promise<string | null>;
  /** Number of changes that are in no topic yet, however damaged the rest of the store is; absent: there are never any. */
  unpublished?(): Promise<number>;
  /**
   * Copies data that is in no topic into the collections with this suffix, which are complete otherwise.
   * @returns a line for each loss
   */
  takeOver(suffix: string): Promise<readonly string[]>;
  close(): Promise<void>;
}
