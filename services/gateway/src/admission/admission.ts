import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';
import type { ServiceContext } from '@countersign/service-kit';
import type { UnansweredChecks } from '../append-event/unanswered-checks.js';
import type { ReadModel } from '../follow/read-model.js';
import type { AccountShares } from './account-shares.js';
import { CLOSED } from './closed.js';
import type { Closed } from './closed.js';
import { AccountSlots } from './account-slots.js';
import type { LatencyProbe } from './latency-probe.js';
import type { LoopShedder } from './loop-shedder.js';

/** Maximum number of pending checks. */
const MAX_IN_FLIGHT = 10_000;
/** Maximum bytes of pending bodies. */
const MAX_RESERVED_BYTES = 256 * 1024 * 1024;

/** Share of both that one account may hold. */
const PART_OF_ACCOUNT = 3 / 4;
/** Interval at which the busiest accounts are logged while checks are load-shed, ms. */
const LOG_EVERY_MS = 10_000;
/** Number of accounts in that message. */
const LOGGED = 3;

/**
 * Event-loop ticks that take this part of the deadline are long: an admitted check waits for some of them, and for the
 * log.
 */
export const LONG_TICK = 1 / 10;
/** Part of the deadline that the log or the counters may take; a check that would wait longer is likely to miss it. */
const LONGEST_DELAY = 3 / 4;

export interface AdmissionParts {
  readonly known: Pick<ReadModel, 'problem'>;
  readonly counters: Pick<Counters, 'unavailable'>;
  readonly eventLog: Pick<EventLog, 'refusing'>;
  readonly unanswered: Pick<UnansweredChecks, 'full'>;
  readonly shedder: LoopShedder;
  /** Probe of the trips of checks to the counters and back. */
  readonly trips: LatencyProbe;
  /** Probe of the appends of batches of events to the log. */
  readonly appends: LatencyProbe;
  readonly deadlineMs: number;
  readonly shares: AccountShares;
  readonly log: Pick<ServiceContext['log'], 'warn'>;
}

/**
 * Admission of checks. A check is refused before anything of it is read: a refusal costs a fraction of a check, leaves
 * no event in doubt, and comes while the caller can still do something else.
 */
export class Admission {
  readonly #parts: AdmissionParts;
  readonly #longestDelayMs: number;
  #inFlight = 0;
  #reservedBytes = 0;
  #stopping = false;
  #loggedAt = Number.NEGATIVE_INFINITY;
  readonly #slots = new AccountSlots(MAX_IN_FLIGHT * PART_OF_ACCOUNT, MAX_RESERVED_BYTES * PART_OF_ACCOUNT);

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#longestDelayMs = parts.deadlineMs * LONGEST_DELAY;
  }

  /** Checks that were admitted and are not over. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** True while event-loop ticks are kept short by load-shedding. */
  get pressed(): boolean {
    return this.#parts.shedder.pressed;
  }

  /** First step of each request: the time, or -1 where it must be load-shed for {@link CLOSED}`.event_loop`. */
  enter(): number {
    return this.#parts.shedder.enter();
  }

  /** `null`: checks are admitted at this time. */
  closed(now: number): Closed | null {
    const { known, counters, eventLog, unanswered, appends, trips } = this.#parts;
    if (this.#stopping) return CLOSED.stopping;
    if (this.#inFlight >= MAX_IN_FLIGHT) return CLOSED.too_many;
    if (known.problem() !== null) return CLOSED.catching_up;
    if (counters.unavailable() !== null) return CLOSED.counters_unavailable;
    if (eventLog.refusing() !== null || unanswered.full()) return CLOSED.event_log_refuses;
    if (appends.delay(now) > this.#longestDelayMs) return CLOSED.event_log_slow;
    if (trips.delay(now) > this.#longestDelayMs) return CLOSED.counters_slow;
    return null;
  }

  /**
   * Reports whether a check of the account is admitted although this tick takes no more: others have had more than
   * their share.
   */
  owed(accountId: string, now: number): boolean {
    const { shares, log } = this.#parts;
    const owed = shares.owed(accountId);
    if (now - this.#loggedAt >= LOG_EVERY_MS) {
      this.#loggedAt = now;
      log.warn({ busiest: shares.busiest(LOGGED) }, 'more checks come than can be decided: the busiest accounts');
    }
    return owed;
  }

  /** Takes the slot of an admitted check for its account; `false`: the account already holds its share. */
  takeSlot(accountId: string, bytes: number): boolean {
    if (!this.#slots.take(accountId, bytes)) return false;
    this.#parts.shares.took(accountId);
    return true;
  }

  /** Takes more bytes of the body of a check that has its slot; `false`: nothing was taken. */
  takeMoreOf(accountId: string, bytes: number): boolean {
    if (!this.#slots.takeMore(accountId, bytes)) return false;
    if (this.takeMore(bytes)) return true;
    this.#slots.takeMore(accountId, -bytes);
    return false;
  }

  giveSlotBack(accountId: string, bytes: number): void {
    this.#slots.giveBack(accountId, bytes);
  }

  /** Admits a check that holds this many bytes of a body; `false`: together with the others they are too many. */
  take(bytes: number): boolean {
    if (!this.takeMore(bytes)) return false;
    this.#inFlight += 1;
    return true;
  }

  /** Takes more bytes of the body of an admitted check; `false`: nothing was taken. */
  takeMore(bytes: number): boolean {
    if (this.#reservedBytes + bytes > MAX_RESERVED_BYTES) return false;
    this.#reservedBytes += bytes;
    return true;
  }

  /** An admitted check is over. */
  release(bytes: number): void {
    this.#inFlight -= 1;
    this.#reservedBytes -= bytes;
  }

  /** Admits no more. */
  stop(): void {
    this.#stopping = true;
  }
}
