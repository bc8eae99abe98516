import type { Counters } from '@countersign/counters';
import type { EventLog, NewRecord } from '@countersign/event-log';
import type { ServiceContext } from '@countersign/service-kit';
import type { EntropyPool } from '../domain/entropy.js';
import { unansweredEvent } from '../domain/unanswered-event.js';
import type { UnansweredCheck } from '../domain/unanswered-event.js';

const RETRY_MS = 250;
const BATCH = 500;
/** Lifetime of a claim of an idempotency key; until then a retry may still answer its event. */
const CLAIM_MS = 24 * 3600 * 1000;
/** No event is appended later than 48 h after its `occurredAt`: one that waited this long is built again. */
const STALE_MS = 24 * 3600 * 1000;
/** Beyond this the gateway admits no check, since it could not record one in doubt. */
const MAX_UNANSWERED = 100_000;

export interface UnansweredChecksOptions {
  readonly eventLog: Pick<EventLog, 'append' | 'refusing'>;
  readonly counters: Pick<Counters, 'now'>;
  readonly log: Pick<ServiceContext['log'], 'warn'>;
  readonly entropy: EntropyPool;
  /** Monotonic, ms. */
  readonly now: () => number;
}

interface Due {
  readonly check: UnansweredCheck;
  /** The record once it was built: a second attempt appends the same bytes. */
  record: NewRecord | null;
  builtAt: number;
}

/**
 * The checks that ended with 503 although their event was sent: `action.unanswered` is appended for each as soon as the
 * log accepts. A claimed one waits until its claim is over, because a retry may answer it. Kept in memory: after a
 * crash they leave no such event.
 */
export class UnansweredChecks {
  readonly #options: UnansweredChecksOptions;
  readonly #due = new Map<string, Due>();
  /** Claimed ones with the time their claim ends, oldest first. */
  readonly #claimed = new Map<string, { readonly check: UnansweredCheck; readonly endsAt: number }>();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;

  constructor(options: UnansweredChecksOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#due.size + this.#claimed.size;
  }

  full(): boolean {
    return this.size >= MAX_UNANSWERED;
  }

  /** The event's answer was a 503. `claimed`: a retry with its idempotency key may still be answered with it. */
  add(check: UnansweredCheck, claimed: boolean): void {
    if (claimed) this.#claimed.set(check.eventId, { check, endsAt: this.#options.now() + CLAIM_MS });
    else {
      this.#claimed.delete(check.eventId);
      this.#due.set(check.eventId, { check, record: null, builtAt: 0 });
    }
    this.#timer ??= setInterval(() => void this.flush(), RETRY_MS);
  }

  /** A retry answered it after all. */
  answered(eventId: string): void {
    this.#claimed.delete(eventId);
  }

  /** Attempts once to append all that is due. Never rejects. */
  flush(): Promise<void> {
    this.#running ??= this.#pass()
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error, waiting: this.#due.size }, 'action.unanswered could not be appended yet');
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    for (const { check } of this.#claimed.values()) this.#due.set(check.eventId, { check, record: null, builtAt: 0 });
    this.#claimed.clear();
    await this.flush();
    await this.flush();
    if (this.#due.size > 0) {
      this.#options.log.warn({ waiting: this.#due.size }, 'stopped with checks in doubt that could not be recorded');
    }
  }

  async #pass(): Promise<void> {
    this.#endClaims();
    const { eventLog, counters, now } = this.#options;
    while (this.#due.size > 0 && eventLog.refusing() === null) {
      const nowMs = await counters.now();
      const batch: [string, NewRecord][] = [];
      for (const [eventId, due] of this.#due) {
        if (batch.length === BATCH) break;
        if (due.record === null || now() - due.builtAt > STALE_MS) {
          due.record = this.#build(due.check, nowMs);
          due.builtAt = now();
        }
        batch.push([eventId, due.record]);
      }
      await eventLog.append(batch.map(([, record]) => record));
      for (const [eventId] of batch) this.#due.delete(eventId);
    }
    if (this.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  #endClaims(): void {
    const now = this.#options.now();
    for (const [eventId, { check, endsAt }] of this.#claimed) {
      if (endsAt > now) break;
      this.#claimed.delete(eventId);
      this.#due.set(eventId, { check, record: null, builtAt: 0 });
    }
  }

  #build(check: UnansweredCheck, nowMs: number): NewRecord {
    const envelope = unansweredEvent(check, nowMs, this.#options.entropy.eventId());
    return { topic: 'agent-events', key: check.agentId, value: JSON.stringify(envelope) };
  }
}
