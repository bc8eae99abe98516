import type { GenerationRebuild } from '../mongo/rebuild-generation.js';

/** What a service provides for the rebuild of its store in MongoDB. */
export interface StoreRebuild {
  /** Consumer group of its instances; `null`: they are in none. */
  readonly group: string | null;
  readonly generation: GenerationRebuild;
  /** Why an instance must be taken to run that is in no consumer group; `null`: none shows. */
  inUse(): Promise<string | null>;
  /** Number of changes that are in no topic yet, however damaged the rest of the store is; absent: there are never any. */
  unpublished?(): Promise<number>;
  /**
   * Takes over what no topic holds into the collections with this suffix, which are complete otherwise.
   * @returns what was lost
   */
  takeOver(suffix: string): Promise<readonly string[]>;
  close(): Promise<void>;
}
