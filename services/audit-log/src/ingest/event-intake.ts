import type { TopicName } from '@countersign/contracts';
import type { LogBatch, Offsets } from '@countersign/event-log';
import type { ServiceContext } from '@countersign/service-kit';
import { deadLetter } from '@countersign/topics';
import { readMessage } from '@countersign/evidence';
import type { AgentHead, EventStore, LoggedEvent } from '../store/port.js';

type IntakeContext = Pick<ServiceContext, 'clock' | 'eventLog' | 'log' | 'metrics'>;

/** How often the store is asked how far the other instances have come. */
const ASK_MS = 100;

/** The messages did not come in time. */
export class NotCaughtUp extends Error {
  override readonly name = 'NotCaughtUp';
}

/**
 * Takes batches of `agent-events` into the store. Messages that are no leaf are dead-lettered; any other error rejects
 * the batch, which is redelivered.
 */
export class EventIntake {
  readonly #context: IntakeContext;
  readonly #store: EventStore;
  readonly #moved: (heads: readonly AgentHead[]) => void;
  /** Where this instance stands in the partitions that it was given. */
  readonly #next = new Map<number, number>();
  readonly #waiting = new Set<() => void>();

  constructor(context: IntakeContext, store: EventStore, moved: (heads: readonly AgentHead[]) => void) {
    this.#context = context;
    this.#store = store;
    this.#moved = moved;
  }

  /** Offset at which a newly assigned partition begins, whichever instance stored the events before it. */
  async begin(topic: TopicName, partition: number): Promise<number | null> {
    const saved = await this.#store.position(topic, partition);
    this.#next.set(partition, saved ?? 0);
    return saved;
  }

  /** @throws StoreFellBack, StoreConflict */
  async take(batch: LogBatch): Promise<void> {
    const { topic, partition, records } = batch;
    const from = batch.from ?? this.#next.get(partition) ?? (await this.begin(topic, partition)) ?? 0;
    const events: LoggedEvent[] = [];
    for (const record of records) {
      if (record.offset < from) continue;
      const reading = readMessage(record.value);
      if (reading.ok) events.push({ offset: record.offset, envelope: reading.value });
      else await deadLetter(this.#context, 'audit-log', record, reading.problem);
    }
    const next = Math.max(from, (records.at(-1)?.offset ?? -1) + 1);
    const heads = await this.#store.append(events, { topic, partition, from, next });
    this.#next.set(partition, next);
    this.#moved(heads);
    for (const wake of this.#waiting) wake();
  }

  /**
   * Resolves once everything below these offsets is stored, by whichever instance.
   * @throws NotCaughtUp after `timeoutMs`
   */
  async caughtUp(offsets: Offsets, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      if (await this.hasStored(offsets)) return;
      const left = deadline - performance.now();
      if (left <= 0) throw new NotCaughtUp(`events were not stored within ${timeoutMs} ms`);
      await this.#moveWithin(Math.min(left, ASK_MS));
    }
  }

  /** True if everything below these offsets is stored, by whichever instance. */
  async hasStored(offsets: Offsets): Promise<boolean> {
    const stored = await this.#store.positions('agent-events');
    return Object.entries(offsets).every(([partition, end]) => (stored[Number(partition)] ?? 0) >= end);
  }

  /** Resolves after a batch of this instance, or after `ms`. */
  #moveWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }
}
