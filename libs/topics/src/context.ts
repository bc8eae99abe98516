import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';

/** The part of a service's context that following and writing topics needs; each function takes the members that it uses. */
export interface TopicContext {
  /** Of the service. */
  readonly name: string;
  readonly eventLog: EventLog;
  readonly counters: Counters;
  readonly metrics: Registry;
  readonly log: Logger;
  /** Wall clock, ms. */
  readonly clock: () => number;
}
