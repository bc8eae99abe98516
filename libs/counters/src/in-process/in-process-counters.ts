import type { RateLimit } from '@countersign/contracts';
import { CLAIM_BOUNDS, CountersUnavailable, RULE_BOUNDS } from '../port.js';
import type {
  AccountUsage,
  AgentUsage,
  ApprovalDecision,
  CheckTrip,
  CheckTripResult,
  ClaimBounds,
  ClaimFigures,
  CountedEvent,
  Counters,
  GivenBackSums,
  HeldAmount,
  Judgement,
  OnceUse,
  OnceUsed,
  RebuildLease,
  RuleBalances,
  RuleBounds,
  RuleQuestion,
  StoredAnswer,
  UsageSnapshot,
  VersionedKind,
} from '../port.js';
import { SlewedClock } from '../slewed-clock.js';
import type { CountersClock } from '../slewed-clock.js';
import { replayEvent, restoreSnapshot } from './rebuild.js';
import { agentUsage, ruleBalances } from './agent-usage.js';
import { claimName } from './claim-book.js';
import { CountersState } from './state.js';
import { UsedOnce } from './used-once.js';

export interface InProcessCountersOptions {
  /** Default: a `SlewedClock`. */
  readonly clock?: CountersClock;
  /** Number of idempotency keys remembered (24 hours each), about 0.6 KiB each; default `CLAIM_BOUNDS`. */
  readonly claimBounds?: ClaimBounds;
  /** Number of facts, windows and amounts that are kept; default `RULE_BOUNDS`. */
  readonly ruleBounds?: RuleBounds;
}

const REBUILDING = 'the counters are being rebuilt';

/**
 * The counters of a single process. They store nothing on disk: a start rebuilds them, and they do not serve before.
 */
export class InProcessCounters implements Counters {
  readonly #clock: CountersClock;
  readonly #state: CountersState;
  readonly #once = new UsedOnce();
  readonly #watchers = new Set<(unavailable: string | null) => void>();
  #replayed = new Set<string>();
  #unavailable: string | null = REBUILDING;

  constructor(options: InProcessCountersOptions = {}) {
    this.#clock = options.clock ?? new SlewedClock();
    this.#state = new CountersState(options.claimBounds ?? CLAIM_BOUNDS, options.ruleBounds ?? RULE_BOUNDS);
  }

  unavailable(): string | null {
    return this.#unavailable;
  }

  /** Calls back with every change of `unavailable()` until the returned function is called. */
  watch(changed: (unavailable: string | null) => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  async now(): Promise<number> {
    return this.#clock.now();
  }

  async check(trip: CheckTrip): Promise<CheckTripResult> {
    return this.checkNow(trip);
  }

  /** As `check`, without a promise: for the gateway in the same thread. */
  checkNow(trip: CheckTrip): CheckTripResult {
    if (this.#unavailable !== null) return { kind: 'unavailable', reason: this.#unavailable };
    return this.#state.check(trip, this.#clock.now());
  }

  async answered(accountId: string, keySha256: string, answer: StoredAnswer, entropy?: string): Promise<void> {
    this.#state.answered(accountId, keySha256, answer, entropy ?? null, this.#clock.now());
  }

  async takeBack(accountId: string, agentId: string, judgement: Judgement, keySha256: string | null): Promise<void> {
    this.#state.takeBack(accountId, agentId, judgement, keySha256, this.#clock.now());
  }

  async giveBack(agentId: string, sums: GivenBackSums): Promise<void> {
    this.#requireService();
    this.#state.agents.get(agentId)?.giveBack(sums);
  }

  async giveBackHeld(agentId: string, held: readonly HeldAmount[]): Promise<void> {
    this.#requireService();
    this.#state.giveBackHeld(agentId, held);
  }

  async decideApproval(decision: ApprovalDecision): Promise<void> {
    this.#requireService();
    this.#state.decideApproval(decision, this.#clock.now());
  }

  async raise(kind: VersionedKind, id: string, version: number): Promise<void> {
    this.#state.raise(kind, id, version);
  }

  async version(kind: VersionedKind, id: string): Promise<number | null> {
    return this.#state.versions[kind].get(id) ?? null;
  }

  async freeze(agentId: string, atMs: number): Promise<void> {
    this.#state.agent(agentId).freeze(atMs);
  }

  async unfreeze(agentId: string): Promise<number> {
    return this.#state.unfreeze(agentId, this.#clock.now());
  }

  async isFrozen(agentId: string): Promise<boolean> {
    this.#requireService();
    return this.#state.agents.get(agentId)?.frozen ?? false;
  }

  async usage(accountId: string): Promise<AccountUsage> {
    this.#requireService();
    return this.#state.usage(accountId, this.#clock.now());
  }

  async agentUsage(agentId: string, rate: RateLimit | null): Promise<AgentUsage> {
    this.#requireService();
    return agentUsage(this.#state.agents.get(agentId), rate, this.#clock.now());
  }

  async ruleBalances(agentId: string, question: RuleQuestion): Promise<RuleBalances> {
    this.#requireService();
    return ruleBalances(this.#state.agents.get(agentId)?.rules ?? null, question, this.#clock.now());
  }

  async answerOf(accountId: string, keySha256: string): Promise<StoredAnswer | null> {
    this.#requireService();
    return this.#state.claims.get(claimName(accountId, keySha256), this.#clock.now())?.answer ?? null;
  }

  async useOnce(use: OnceUse): Promise<OnceUsed> {
    this.#requireService();
    return this.#once.use(use, this.#clock.now());
  }

  async claims(): Promise<ClaimFigures> {
    this.#requireService();
    return this.#state.claims.figures();
  }

  async beginRebuild(): Promise<RebuildLease | null> {
    if (this.#unavailable !== REBUILDING) return null;
    this.#replayed = new Set();
    this.#state.forgetCounts();
    return { settleMs: 0 };
  }

  async abandonRebuild(): Promise<void> {
    this.#replayed = new Set();
  }

  async restore(snapshot: UsageSnapshot): Promise<void> {
    this.#become(REBUILDING);
    for (const { unfrozenAtMs } of snapshot.agents) this.#clock.notBefore(unfrozenAtMs);
    for (const { occurredAtMs } of snapshot.claims) this.#clock.notBefore(occurredAtMs);
    restoreSnapshot(this.#state, snapshot, this.#clock.now());
  }

  async replay(events: readonly CountedEvent[]): Promise<void> {
    for (const event of events) {
      if (this.#replayed.has(event.eventId)) continue;
      this.#replayed.add(event.eventId);
      this.#clock.notBefore(event.occurredAtMs);
      replayEvent(this.#state, event, this.#clock.now());
    }
  }

  async serve(): Promise<void> {
    this.#replayed = new Set();
    this.#state.claims.sort();
    if (this.#unavailable !== null) this.#once.sinceMs = this.#clock.now();
    this.#become(null);
  }

  async close(): Promise<void> {
    this.#become('the counters are closed');
  }

  #requireService(): void {
    if (this.#unavailable !== null) throw new CountersUnavailable(this.#unavailable);
  }

  #become(unavailable: string | null): void {
    if (this.#unavailable === unavailable) return;
    this.#unavailable = unavailable;
    for (const changed of [...this.#watchers]) changed(unavailable);
  }
}
