import { leafHashOf, readMessage } from '@countersign/evidence';
import type { LogBatch, LogRecord, Offsets } from '@countersign/event-log';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { ServiceContext } from '@countersign/service-kit';
import { deadLetter } from '@countersign/topics';
import type { AnchorStore, ArrivingLeaf } from '../store/port.js';
import type { CutGate } from './cut-gate.js';

type IntakeContext = Pick<ServiceContext, 'clock' | 'eventLog' | 'log' | 'metrics'>;

interface Waiter {
  readonly offsets: Offsets;
  readonly resolve: () => void;
}

/**
 * Takes batches of `agent-events` into windows; no partition waits for another, a cut holds all of them for a moment
 * only. Messages that are no leaf are dead-lettered; any other error rejects the batch, which is redelivered.
 */
export class LeafIntake {
  readonly #context: IntakeContext;
  readonly #store: AnchorStore;
  readonly #gate: CutGate;
  readonly #sawEvent: (occurredAtMs: number) => void;
  readonly #next = new Map<number, number>();
  readonly #waiters = new Set<Waiter>();

  /** @param sawEvent hears when each event happened */
  constructor(
    context: IntakeContext,
    store: AnchorStore,
    gate: CutGate,
    sawEvent: (occurredAtMs: number) => void = () => undefined,
  ) {
    this.#context = context;
    this.#sawEvent = sawEvent;
    this.#store = store;
    this.#gate = gate;
  }

  async take({ partition, records }: LogBatch): Promise<void> {
    const saved = await this.#position(partition);
    const fresh = records.filter((record) => record.offset >= saved);
    if (fresh.length === 0) return;
    await this.#gate.passed();
    await this.#takeFresh(partition, fresh);
  }

  /** Resolves once everything below these offsets is taken; rejects when `signal` aborts. */
  async reached(offsets: Offsets, signal: AbortSignal): Promise<void> {
    for (const partition of Object.keys(offsets)) await this.#position(Number(partition));
    signal.throwIfAborted();
    if (this.#holds(offsets)) return;
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.#waiters.delete(waiter);
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        offsets,
        resolve: () => {
          signal.removeEventListener('abort', abort);
          this.#waiters.delete(waiter);
          resolve();
        },
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  async #takeFresh(partition: number, records: readonly LogRecord[]): Promise<void> {
    const leaves: ArrivingLeaf[] = [];
    const now = this.#context.clock();
    for (const record of records) {
      const reading = readMessage(record.value);
      if (!reading.ok) {
        await deadLetter(this.#context, 'anchoring', record, reading.problem);
        continue;
      }
      const { leaf, cadenceSeconds } = reading.value;
      this.#sawEvent(Date.parse(leaf.occurredAt));
      leaves.push({
        eventId: leaf.eventId,
        agentId: leaf.agentId,
        cadenceSeconds,
        hash: leafHashOf(leaf, nodeCrypto.sha256),
        offset: record.offset,
        cameAtMs: Math.min(record.appendedAtMs, now),
      });
    }
    const next = records.at(-1)!.offset + 1;
    await this.#store.takeLeaves(leaves, { topic: 'agent-events', partition, next });
    this.#next.set(partition, next);
    for (const waiter of this.#waiters) if (this.#holds(waiter.offsets)) waiter.resolve();
  }

  async #position(partition: number): Promise<number> {
    const known = this.#next.get(partition);
    if (known !== undefined) return known;
    const saved = await this.#store.position('agent-events', partition);
    // Records that the log dropped before the partition was ever read cannot be delivered: nothing waits for them.
    const next = saved ?? (await this.#context.eventLog.beginOffsets('agent-events'))[partition] ?? 0;
    this.#next.set(partition, next);
    return next;
  }

  #holds(offsets: Offsets): boolean {
    return Object.entries(offsets).every(([partition, end]) => (this.#next.get(Number(partition)) ?? 0) >= end);
  }
}
