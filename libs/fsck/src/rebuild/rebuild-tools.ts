import type { OlderEvent } from '@countersign/audit-log';
import type { RestoreContext } from '@countersign/service-kit';

/** Inputs of rebuilding a store. */
export interface RebuildTools {
  /** Opens a store in which nothing is yet; its log is only read. */
  readonly context: RestoreContext;
  /** Archived events that the log no longer has. @throws RestoreRefused where they cannot be taken over */
  readonly older: () => AsyncIterable<OlderEvent>;
  readonly progress: (what: string) => void;
}
