import type { EventEnvelope } from '@countersign/contracts';
import type { EventStore, LoggedEvent } from '../store/port.js';
import { denied, envelope, other, START } from './envelopes.js';

export const PARTITIONS = 2;
export const AGENTS = 4;

const V2 = { v2: true } as const;

/** A log by partitions; offsets are places in the arrays. */
export type PartitionedLog = readonly (readonly LoggedEvent[])[];

/**
 * Event `n`, always the same: its kind, version, agent and time follow from the number. No two have the same time.
 */
export function numberedEvent(n: number): EventEnvelope {
  const parts = {
    agent: n % AGENTS,
    occurredAtMs: START + ((n * 7919) % 300) * 60_000 + (n % 60_000),
    ...(n % 3 === 1 ? V2 : {}),
  };
  if (n % 7 === 3 && n >= AGENTS) {
    const target = numberedEvent(n - AGENTS).leaf.eventId;
    return other(n, 'content.erased', { ...parts, refersTo: target });
  }
  return n % 5 === 0 ? denied(n, parts) : envelope(n, parts);
}

/** The log that holds these events in this order; a number that is repeated is a repeated message. */
export function logOf(numbers: readonly number[]): PartitionedLog {
  const log: LoggedEvent[][] = Array.from({ length: PARTITIONS }, () => []);
  for (const n of numbers) {
    const partition = log[(n % AGENTS) % PARTITIONS]!;
    partition.push({ offset: partition.length, envelope: numberedEvent(n) });
  }
  return log;
}

/** Stores the next `length` messages of a partition, from where the store or `from` says. Gives how many there were. */
export async function appendNext(
  store: EventStore,
  log: PartitionedLog,
  partition: number,
  length: number,
  from?: number,
): Promise<number> {
  const begin = from ?? (await store.position('agent-events', partition)) ?? 0;
  const events = log[partition]!.slice(begin, begin + length);
  if (events.length === 0) return 0;
  await store.append(events, { topic: 'agent-events', partition, from: begin, next: begin + events.length });
  return events.length;
}
