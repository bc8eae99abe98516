import type { ServiceContext } from './definition.js';

/** What a service needs to take from its topics what a store that was put back from a copy lacks. */
export type RestoreContext = Pick<
  ServiceContext,
  'config' | 'eventLog' | 'log' | 'metrics' | 'clock' | 'directory' | 'openStore' | 'chain'
>;

export interface RestoreOptions {
  /** Reads and tells, and changes nothing. */
  readonly dryRun: boolean;
  /** Called with what takes long. */
  readonly progress: (what: string) => void;
}

/** In plain words, one line each. */
export interface Restored {
  /** What the store took, or would take. */
  readonly adopted: readonly string[];
  /** What was lost since the copy, because no topic holds it. */
  readonly lost: readonly string[];
}
