import type { Chain } from '@countersign/chain';
import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';

/** What a thread works with, by whichever profile. */
export interface Backends {
  readonly eventLog: EventLog;
  readonly counters: Counters;
  /** Opened at the first call. */
  chain(): Promise<Chain>;
  /** Closes what this thread opened. */
  close(): Promise<void>;
}
