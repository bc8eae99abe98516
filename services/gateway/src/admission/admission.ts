import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';
import type { UnansweredChecks } from '../append-event/unanswered-checks.js';
import type { KnownFacts } from '../follow/known-facts.js';
import { CLOSED } from './closed.js';
import type { Closed } from './closed.js';
import type { Passage } from './passage.js';
import type { Turns } from './turns.js';

/** Checks under way at once. */
const MAX_IN_FLIGHT = 10_000;
/** Bytes of bodies under way. */
const MAX_RESERVED_BYTES = 256 * 1024 * 1024;

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
