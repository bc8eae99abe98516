import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';

/** The part of a service's context that consumers and publishers of topics need; each function takes the members it uses. */
export interface TopicContext {
  /** The name of the service. */
  readonly name: string;
  readonly eventLog: EventLog;
  readonly counters: Counters;
  readonly metrics: Registry;
  readonly log: Logger;
  /** Wall clock, ms. */
  readonly clock: () => number;
}
