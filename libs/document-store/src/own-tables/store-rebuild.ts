import type { StoreSwap } from './store-swap.js';

/** What a service tells the command that makes its store in MongoDB anew. */
export interface StoreRebuild {
  /** Consumer group of its instances; `null`: they are in none. */
  readonly group: string | null;
  readonly swap: StoreSwap;
  /** Why an instance must be taken to run that is in no consumer group, in plain words; `null`: none shows. */
  inUse(): Promise<string | null>;
  /** Changes that no topic holds yet, however damaged the rest of the store is; absent of a store that has none. */
  untold?(): Promise<number>;
  /**
   * Takes over what no topic holds into collections with this suffix, which are whole otherwise.
   * @returns what was lost, in plain words
   */
  takeOver(suffix: string): Promise<readonly string[]>;
  close(): Promise<void>;
}
