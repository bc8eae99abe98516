import type { StoredLogFile } from '@countersign/event-log';
import type { RestoreContext } from '@countersign/service-kit';
import type { Store } from '../open-stores.js';

/** What a store is made anew with. */
export interface RebuildTools {
  /** Its directory is empty but for keys, its log is only read. */
  readonly context: RestoreContext;
  readonly log: StoredLogFile;
  /** The store as it is, `null`: it cannot be read. */
  readonly damaged: Store | null;
  /** File of the one that is made. */
  readonly fresh: string;
  readonly progress: (what: string) => void;
}
