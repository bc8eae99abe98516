import type { EventEnvelope } from '@countersign/contracts';
import type { LogBatch, Offsets } from '@countersign/event-log';
import { park, type ServiceContext } from '@countersign/service-kit';
import { readMessage } from '@countersign/evidence';
import type { AgentHead, EventStore } from '../store/port.js';

interface Waiter {
  readonly offsets: Offsets;
  readonly resolve: () => void;
}

/** The messages did not come in time. */
export class NotCaughtUp extends Error {
  override readonly name = 'NotCaughtUp';
}

/**
 * Takes batches of `agent-events` into the store. What the leaf predicate rejects is parked; any other error rejects
 * the batch, which comes again.
 */
export class EventIntake {
  readonly #context: ServiceContext;
  readonly #store: EventStore;
  readonly #moved: (heads: readonly AgentHead[]) => void;
  readonly #next = new Map<number, number>();
  readonly #waiters = new Set<Waiter>();

  constructor(context: ServiceContext, store: EventStore, moved: (heads: readonly AgentHead[]) => void) {
    this.#context = context;
    this.#store = store;
    this.#moved = moved;
  }

  async take({ topic, partition, records }: LogBatch): Promise<void> {
    const saved = this.#next.get(partition) ?? (await this.#store.position(topic, partition)) ?? 0;
    const envelopes: EventEnvelope[] = [];
    for (const record of records) {
      if (record.offset < saved) continue;
      const reading = readMessage(record.value);
      if (reading.ok) envelopes.push(reading.value);
      else await park(this.#context, 'audit-log', record, reading.problem);
    }
    const next = Math.max(saved, (records.at(-1)?.offset ?? -1) + 1);
    const heads = await this.#store.append(envelopes, { topic, partition, next });
    this.#next.set(partition, next);
    this.#moved(heads);
    for (const waiter of this.#waiters) if (this.#holds(waiter.offsets)) waiter.resolve();
  }

  /** Resolves once everything below these offsets is stored. @throws NotCaughtUp after `timeoutMs` */
  async caughtUp(offsets: Offsets, timeoutMs: number): Promise<void> {
    for (const partition of Object.keys(offsets).map(Number)) {
      const saved = await this.#store.position('agent-events', partition);
      if (saved !== null && !this.#next.has(partition)) this.#next.set(partition, saved);
    }
    if (this.#holds(offsets)) return;
    await new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        offsets,
        resolve: () => {
          settle();
          resolve();
        },
      };
      const timer = setTimeout(() => {
        settle();
        reject(new NotCaughtUp(`events were not stored within ${timeoutMs} ms`));
      }, timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  #holds(offsets: Offsets): boolean {
    return Object.entries(offsets).every(([partition, end]) => (this.#next.get(Number(partition)) ?? 0) >= end);
  }
}
