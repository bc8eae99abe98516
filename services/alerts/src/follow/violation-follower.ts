import { Counter } from 'prom-client';
import { readMessage } from '@countersign/evidence';
import type { LogBatch, LogRecord } from '@countersign/event-log';
import type { ServiceContext } from '@countersign/service-kit';
import { deadLetter } from '@countersign/topics';
import { foldNotices, threadKey, type Notice } from '../domain/thread.js';
import { reaches, readViolation, type Violation } from '../domain/violation.js';
import type { AlertStore } from '../store/port.js';

export const GROUP = 'alerts';

type FollowerContext = Pick<ServiceContext, 'eventLog' | 'metrics' | 'log' | 'clock' | 'publicUrl'>;

/**
 * Follows `agent-events` and stores messages for the destinations. A batch's effects and position are stored
 * before it is acknowledged; a store that fails rejects the batch, which is redelivered. Only events that fail the
 * leaf predicate are dead-lettered.
 */
export class ViolationFollower {
  readonly #context: FollowerContext;
  readonly #store: AlertStore;
  readonly #windowMs: number;
  readonly #kept: () => void;
  readonly #violations: Counter;

  /** @param kept called when there may be messages to send */
  constructor(context: FollowerContext, store: AlertStore, windowMs: number, kept: () => void) {
    this.#context = context;
    this.#store = store;
    this.#windowMs = windowMs;
    this.#kept = kept;
    this.#violations = new Counter({
      name: 'countersign_alert_notices_total',
      help: 'Violations reported to a destination, alone or in a sum',
      registers: [context.metrics],
    });
  }

  position(partition: number): Promise<number | null> {
    return this.#store.position(partition);
  }

  async handle({ partition, from, records }: LogBatch): Promise<void> {
    const last = records.at(-1);
    if (last === undefined) return;
    const notices = await this.#noticesOf(await this.#read(records));
    const batch = { partition, from, next: last.offset + 1, logTimeMs: last.appendedAtMs, notices };
    await this.#store.follow(batch, (thread, own) => foldNotices(thread, own, this.#windowMs, this.#context.clock()));
    if (notices.length === 0) return;
    this.#violations.inc(notices.length);
    this.#kept();
  }

  async #read(records: readonly LogRecord[]): Promise<readonly Violation[]> {
    const violations: Violation[] = [];
    for (const record of records) {
      const envelope = readMessage(record.value);
      if (envelope.ok) {
        const violation = readViolation(envelope.value, record, `${this.#context.publicUrl()}/console#approvals/`);
        if (violation !== null) violations.push(violation);
      } else {
        await deadLetter(this.#context, GROUP, record, envelope.problem);
      }
    }
    return violations;
  }

  async #noticesOf(violations: readonly Violation[]): Promise<readonly Notice[]> {
    if (violations.length === 0) return [];
    const destinations = await this.#store.enabledDestinations([...new Set(violations.map((each) => each.accountId))]);
    return violations.flatMap((violation) =>
      destinations
        .filter((each) => each.accountId === violation.accountId && reaches(violation.severity, each.minSeverity))
        .map(({ id }) => ({ key: threadKey(id, violation), destinationId: id, violation })),
    );
  }
}
