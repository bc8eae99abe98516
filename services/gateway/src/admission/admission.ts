import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';
import type { ServiceContext } from '@countersign/service-kit';
import type { UnansweredChecks } from '../append-event/unanswered-checks.js';
import type { KnownFacts } from '../follow/known-facts.js';
import type { AccountShares } from './account-shares.js';
import { CLOSED } from './closed.js';
import type { Closed } from './closed.js';
import { Places } from './places.js';
import type { Passage } from './passage.js';
import type { Turns } from './turns.js';

/** Checks under way at once. */
const MAX_IN_FLIGHT = 10_000;
/** Bytes of bodies under way. */
const MAX_RESERVED_BYTES = 256 * 1024 * 1024;

/** What one account may hold of both. */
const PART_OF_ACCOUNT = 3 / 4;
/** While checks are turned away, who sends most is logged so often, ms. */
const LOG_EVERY_MS = 10_000;
/** And so many accounts of them. */
const LOGGED = 3;

/** Turns of the event loop that take this part of the deadline are long: who is taken waits for some, and for the log. */
export const LONG_TURN = 1 / 10;
/** What the log or the counters may take of the deadline; who would wait longer is likely to miss it. */
const LONGEST_PASSAGE = 3 / 4;

export interface AdmissionParts {
  readonly known: Pick<KnownFacts, 'problem'>;
  readonly counters: Pick<Counters, 'unavailable'>;
  readonly eventLog: Pick<EventLog, 'refusing'>;
  readonly unanswered: Pick<UnansweredChecks, 'full'>;
  readonly turns: Turns;
  /** Checks on their way to the counters and back. */
  readonly trips: Passage;
  /** Batches of events on their way into the log. */
  readonly appends: Passage;
  readonly deadlineMs: number;
  readonly shares: AccountShares;
  readonly log: Pick<ServiceContext['log'], 'warn'>;
}

/**
 * Whether a check is taken. It is refused before anything of it is read: a refusal costs a fraction of a check, leaves
 * no event of unknown fate behind, and comes while the caller can still do something else.
 */
export class Admission {
  readonly #parts: AdmissionParts;
  readonly #longestPassageMs: number;
  #inFlight = 0;
  #reservedBytes = 0;
  #stopping = false;
  #loggedAt = Number.NEGATIVE_INFINITY;
  readonly #places = new Places(MAX_IN_FLIGHT * PART_OF_ACCOUNT, MAX_RESERVED_BYTES * PART_OF_ACCOUNT);

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#longestPassageMs = parts.deadlineMs * LONGEST_PASSAGE;
  }

  /** Checks that were taken and are not over. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether turns of the event loop are kept short by turning checks away. */
  get pressed(): boolean {
    return this.#parts.turns.pressed;
  }

  /** For each request, first of all: the time, or -1 where it must be turned away for {@link CLOSED}`.event_loop`. */
  enter(): number {
    return this.#parts.turns.enter();
  }

  /** `null`: checks are taken at this time. */
  closed(now: number): Closed | null {
    const { known, counters, eventLog, unanswered, appends, trips } = this.#parts;
    if (this.#stopping) return CLOSED.stopping;
    if (this.#inFlight >= MAX_IN_FLIGHT) return CLOSED.too_many;
    if (known.problem() !== null) return CLOSED.catching_up;
    if (counters.unavailable() !== null) return CLOSED.counters_unavailable;
    if (eventLog.refusing() !== null || unanswered.full()) return CLOSED.event_log_refuses;
    if (appends.delay(now) > this.#longestPassageMs) return CLOSED.event_log_slow;
    if (trips.delay(now) > this.#longestPassageMs) return CLOSED.counters_slow;
    return null;
  }

  /** Whether a check of the account is taken although this turn takes no more: others have had more than their part. */
  owed(accountId: string, now: number): boolean {
    const { shares, log } = this.#parts;
    const owed = shares.owed(accountId);
    if (now - this.#loggedAt >= LOG_EVERY_MS) {
      this.#loggedAt = now;
      log.warn({ busiest: shares.busiest(LOGGED) }, 'more checks come than can be decided: who sends most');
    }
    return owed;
  }

  /** Gives a check that was taken the place of its account; `false`: the account holds its part already. */
  takePlace(accountId: string, bytes: number): boolean {
    if (!this.#places.take(accountId, bytes)) return false;
    this.#parts.shares.took(accountId);
    return true;
  }

  /** More of the body of a check that has its place; `false`: nothing was taken. */
  takeMoreOf(accountId: string, bytes: number): boolean {
    if (!this.#places.takeMore(accountId, bytes)) return false;
    if (this.takeMore(bytes)) return true;
    this.#places.takeMore(accountId, -bytes);
    return false;
  }

  givePlaceBack(accountId: string, bytes: number): void {
    this.#places.giveBack(accountId, bytes);
  }

  /** Takes a check that holds so many bytes of a body; `false`: together with the others they are too many. */
  take(bytes: number): boolean {
    if (!this.takeMore(bytes)) return false;
    this.#inFlight += 1;
    return true;
  }

  /** More of the body of a check that was taken; `false`: nothing was taken. */
  takeMore(bytes: number): boolean {
    if (this.#reservedBytes + bytes > MAX_RESERVED_BYTES) return false;
    this.#reservedBytes += bytes;
    return true;
  }

  /** A check that was taken is over. */
  release(bytes: number): void {
    this.#inFlight -= 1;
    this.#reservedBytes -= bytes;
  }

  /** Takes no more. */
  stop(): void {
    this.#stopping = true;
  }
}
