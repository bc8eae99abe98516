import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { ClaimFigures } from '@countersign/counters';
import type { ClosedReason } from '../admission/closed.js';
import { FoldedHistogram } from './folded-histogram.js';

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** Upper bounds in ms. */
const LATENCIES = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000];

export interface GatewayGauges {
  inFlight(): number;
  unanswered(): number;
  compiledProfiles(): number;
  /** Rejects while the counters do not serve. */
  claims(): Promise<ClaimFigures>;
}

/**
 * Counted in plain numbers and converted to prom-client's form when it is read: its own counting by labels costs more
 * than a decision.
 */
export class GatewayMetrics {
  readonly #outcomes = new Map<string, number>();
  readonly #statuses = new Map<number, number>();
  readonly #shed = new Map<ClosedReason, number>();
  readonly #checks: FoldedHistogram;
  readonly #trips: FoldedHistogram;
  readonly #appends: FoldedHistogram;
  readonly #batches: FoldedHistogram;
  #replayed = 0;
  #crowded = 0;

  constructor(registry: Registry, gauges: GatewayGauges) {
    const registers = [registry];
    const checks = new Counter({
      name: 'countersign_checks_total',
      help: 'Recorded checks by outcome',
      labelNames: ['outcome'],
      registers,
      collect: () => {
        checks.reset();
        for (const [outcome, count] of this.#outcomes) checks.inc({ outcome }, count);
      },
    });
    const statuses = new Counter({
      name: 'countersign_check_answers_total',
      help: 'Answers to POST /v1/check by status',
      labelNames: ['status'],
      registers,
      collect: () => {
        statuses.reset();
        for (const [status, count] of this.#statuses) statuses.inc({ status: `${status}` }, count);
      },
    });
    const shed = new Counter({
      name: 'countersign_checks_turned_away_total',
      help: 'Checks and evaluations answered 503 before they were read, by reason',
      labelNames: ['reason'],
      registers,
      collect: () => {
        shed.reset();
        for (const [reason, count] of this.#shed) shed.inc({ reason }, count);
      },
    });
    const span = (what: string, help: string): FoldedHistogram =>
      new FoldedHistogram(registry, {
        name: `countersign_check_${what}_seconds`,
        help,
        bounds: LATENCIES,
        divisor: 1000,
      });
    this.#checks = span('duration', 'Time from the request head to the answer of a recorded check');
    this.#trips = span('counters', 'Time of the trip of a check to the counters and back');
    this.#appends = span('append', 'Time from the append of an event to its outcome');
    const replayed = new Counter({
      name: 'countersign_check_replays_total',
      help: 'Answers given again for a repeated idempotency key',
      registers,
      collect: () => {
        replayed.reset();
        replayed.inc(this.#replayed);
      },
    });
    const inFlight: Gauge = new Gauge({
      name: 'countersign_checks_in_flight',
      help: 'Checks under way',
      registers,
      collect: (): void => inFlight.set(gauges.inFlight()),
    });
    const unanswered: Gauge = new Gauge({
      name: 'countersign_unanswered_waiting',
      help: 'Checks in doubt whose action.unanswered is not written yet',
      registers,
      collect: (): void => unanswered.set(gauges.unanswered()),
    });
    const claims: Gauge = new Gauge({
      name: 'countersign_idempotency_keys',
      help: 'Idempotency keys that the counters remember, by state; each gateway reports those of all',
      labelNames: ['state'],
      registers,
      collect: async (): Promise<void> => {
        const figures = await gauges.claims().catch(() => null);
        claims.reset();
        if (figures === null) return;
        claims.set({ state: 'open' }, figures.open);
        claims.set({ state: 'answered' }, figures.answered);
      },
    });
    const evicted: Counter = new Counter({
      name: 'countersign_idempotency_keys_evicted_total',
      help: 'Answered idempotency keys forgotten before 24 hours because an account or all were at the bound',
      registers,
      collect: async (): Promise<void> => {
        const figures = await gauges.claims().catch(() => null);
        evicted.reset();
        if (figures !== null) evicted.inc(figures.evicted);
      },
    });
    const crowded = new Counter({
      name: 'countersign_checks_crowded_total',
      help: 'Checks answered 503 because as many idempotency keys of their account as may be held are under way',
      registers,
      collect: () => {
        crowded.reset();
        crowded.inc(this.#crowded);
      },
    });
    const compiled: Gauge = new Gauge({
      name: 'countersign_compiled_profiles',
      help: 'Profiles that are held compiled: those in use',
      registers,
      collect: (): void => compiled.set(gauges.compiledProfiles()),
    });
    this.#batches = new FoldedHistogram(registry, {
      name: 'countersign_append_batch_size',
      help: 'Events in one append to the log',
      bounds: BATCH_SIZES,
      divisor: 1,
    });
  }

  answered(status: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
  }

  shed(reason: ClosedReason): void {
    this.#shed.set(reason, (this.#shed.get(reason) ?? 0) + 1);
  }

  recorded(outcome: string, milliseconds: number): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    this.#checks.add(milliseconds);
  }

  replayed(): void {
    this.#replayed += 1;
  }

  crowded(): void {
    this.#crowded += 1;
  }

  batch(size: number): void {
    this.#batches.add(size);
  }

  /** The outcome of the events of one append is known. */
  appended(size: number, milliseconds: number): void {
    this.#appends.add(milliseconds, size);
  }

  /** A check returned from the counters. */
  counted(milliseconds: number): void {
    this.#trips.add(milliseconds);
  }
}
