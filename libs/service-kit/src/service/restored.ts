import type { ServiceContext } from './definition.js';

/** Context of a restore: brings a store from a backup up to its topics. */
export type RestoreContext = Pick<
  ServiceContext,
  'config' | 'eventLog' | 'log' | 'metrics' | 'clock' | 'directory' | 'openStore' | 'chain'
>;

export interface RestoreOptions {
  /** Reads and reports, changes nothing. */
  readonly dryRun: boolean;
  /** Called with the name of each long step. */
  readonly progress: (what: string) => void;
}

/** Result of a restore, one line of text for each item. */
export interface Restored {
  /** Records that the store took from topics, or would take. */
  readonly adopted: readonly string[];
  /** Changes since the backup that are lost, because no topic has them. */
  readonly lost: readonly string[];
}
