import type { RateLimit } from '@countersign/contracts';
import { allows, CountersUnavailable, ONCE_MS } from '../port.js';
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
  LimitBalance,
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
import { checkArguments, checkScriptOf } from './check-arguments.js';
import { SESSION_KEPT_MS, shortHash } from './keys.js';
import type { Keys } from './keys.js';
import { dayNumber, monthNumber, monthText } from './months.js';
import { eventRows, snapshotRows } from './rebuild-rows.js';
import type { CallOptions, RedisLink } from './redis-link.js';
import { checkResult, DONE, LOST, REBUILDING, RULED } from './replies.js';
import { factField, heldArgument, limitField, revertedArgument } from './rule-arguments.js';
import { SCRIPTS } from './script.js';
import type { Script } from './script.js';
import { RedisRebuildLease } from './rebuild-lease.js';

export interface RedisCountersOptions {
  readonly link: RedisLink;
  readonly keys: Keys;
  readonly claimBounds: ClaimBounds;
  readonly ruleBounds: RuleBounds;
  readonly settleMs: number;
  /** Only for tests: the time used instead of that of Redis. */
  readonly testClock: (() => number) | null;
}

const REBUILDING_WORDS = 'the counters are being rebuilt';
const LOST_WORDS = 'Redis has lost what was counted, or may have: the counters must be rebuilt';
const LOOK_MS = 200;
const ONCE_REPLIES = ['first', 'same', 'used', 'unknown'] as const satisfies readonly OnceUsed[];

/**
 * The counters of any number of gateways on one Redis. Each method is one script, so one atomic round trip. They serve
 * the run of Redis in which they were rebuilt: another run, an empty one, or one that does not answer is `unavailable`.
 */
export class RedisCounters implements Counters {
  readonly #options: RedisCountersOptions;
  readonly #lease: RedisRebuildLease;
  readonly #look: NodeJS.Timeout;
  #state: string | null = LOST_WORDS;
  #replayed = new Set<string>();

  constructor(options: RedisCountersOptions) {
    this.#options = options;
    this.#lease = new RedisRebuildLease((...call) => this.#call(...call), options.keys, options.claimBounds);
    this.#look = setInterval(() => void this.look(), LOOK_MS);
    this.#look.unref();
  }

  unavailable(): string | null {
    return this.#options.link.problem() ?? this.#state;
  }

  /** Updates whether they serve, also without a check. */
  async look(): Promise<void> {
    await this.#call(SCRIPTS.look, [this.#options.keys.state], []).catch(() => undefined);
  }

  async now(): Promise<number> {
    const reply = await this.#call(SCRIPTS.now, [this.#options.keys.state], []);
    return Number(reply[1]);
  }

  async check(trip: CheckTrip): Promise<CheckTripResult> {
    try {
      const reply = await this.#check(trip, checkScriptOf(trip));
      return checkResult(reply[0] === RULED ? await this.#check(trip, SCRIPTS.ruledCheck) : reply, trip);
    } catch (error) {
      if (error instanceof CountersUnavailable) return { kind: 'unavailable', reason: error.message };
      throw error;
    }
  }

  async answered(accountId: string, keySha256: string, answer: StoredAnswer, entropy?: string): Promise<void> {
    const { keys } = this.#options;
    const at = [keys.state, keys.claim(accountId, keySha256)];
    const kept = [answer.status === 200 ? 1 : 0, entropy ?? '', JSON.stringify(answer)];
    const listed = [accountId, shortHash(keySha256), allows(answer) ? 1 : 0];
    await this.#call(SCRIPTS.answered, at, [...kept, ...listed]);
  }

  async takeBack(accountId: string, agentId: string, judgement: Judgement, keySha256: string | null): Promise<void> {
    const { keys } = this.#options;
    const { nowMs, costMicros, countsAction, countsRate, entropy } = judgement;
    const at = [keys.state, keys.account(accountId), keys.agent(agentId), keys.rate(agentId)];
    const args = [nowMs, costMicros, countsAction ? 1 : 0, countsRate ? 1 : 0, entropy];
    if (keySha256 !== null) {
      at.push(keys.claim(accountId, keySha256));
      args.push(accountId, shortHash(keySha256));
    }
    const reverted = revertedArgument(judgement);
    if (reverted !== null) args.push(...(keySha256 === null ? ['', ''] : []), reverted);
    await this.#call(SCRIPTS.takeBack, at, args);
  }

  async giveBack(agentId: string, { day, dayMicros, month, monthMicros }: GivenBackSums): Promise<void> {
    const { keys } = this.#options;
    const sums = [dayNumber(day), dayMicros, monthNumber(month), monthMicros];
    await this.#call(SCRIPTS.giveBack, [keys.state, keys.agent(agentId)], sums);
  }

  async giveBackHeld(agentId: string, held: readonly HeldAmount[]): Promise<void> {
    await this.#call(SCRIPTS.giveBackHeld, [this.#options.keys.state], [agentId, heldArgument(held)]);
  }

  async decideApproval(decision: ApprovalDecision): Promise<void> {
    const { agentId, bindingSha256, id, state, expiresAtMs, usableUntilMs, reusable } = decision;
    const decided = [state === 'approved' ? 1 : 0, expiresAtMs, usableUntilMs, reusable ? 1 : 0];
    await this.#call(SCRIPTS.decideApproval, [this.#options.keys.state], [agentId, bindingSha256, id, ...decided]);
  }

  async raise(kind: VersionedKind, id: string, version: number): Promise<void> {
    const { keys } = this.#options;
    const kept = kind === 'session' ? [SESSION_KEPT_MS] : [];
    await this.#call(SCRIPTS.raise, [keys.state, keys.name + keys.versioned(kind, id)], [version, ...kept]);
  }

  async version(kind: VersionedKind, id: string): Promise<number | null> {
    const { keys } = this.#options;
    const reply = await this.#call(SCRIPTS.version, [keys.state, keys.name + keys.versioned(kind, id)], []);
    return reply[1] === null || reply[1] === undefined ? null : Number(reply[1]);
  }

  async freeze(agentId: string, atMs: number): Promise<void> {
    const { keys } = this.#options;
    await this.#call(SCRIPTS.freeze, [keys.state, keys.agent(agentId)], [atMs]);
  }

  async unfreeze(agentId: string): Promise<number> {
    const { keys } = this.#options;
    return Number((await this.#call(SCRIPTS.unfreeze, [keys.state, keys.agent(agentId)], []))[1]);
  }

  async isFrozen(agentId: string): Promise<boolean> {
    const { keys } = this.#options;
    return (await this.#call(SCRIPTS.isFrozen, [keys.state, keys.agent(agentId)], []))[1] === 1;
  }

  async usage(accountId: string): Promise<AccountUsage> {
    const { keys } = this.#options;
    const reply = await this.#call(SCRIPTS.usage, [keys.state, keys.account(accountId)], []);
    const [, actionsInPeriod, actionsEver, month] = reply.map(Number);
    return { actionsInPeriod: actionsInPeriod ?? 0, actionsEver: actionsEver ?? 0, period: monthText(month ?? 0) };
  }

  async agentUsage(agentId: string, rate: RateLimit | null): Promise<AgentUsage> {
    const { keys } = this.#options;
    const asked = rate === null ? [] : [rate.max, rate.per_seconds];
    const reply = await this.#call(SCRIPTS.agentUsage, [keys.state, keys.agent(agentId), keys.rate(agentId)], asked);
    const [, nowMs, frozen, dayMicros, monthMicros, rateCount, blockedBy] = reply.map(Number);
    return {
      nowMs: nowMs ?? 0,
      frozen: frozen === 1,
      dayMicros: dayMicros ?? 0,
      monthMicros: monthMicros ?? 0,
      rateCount: rateCount ?? 0,
      rateBlockedBy: blockedBy === undefined || blockedBy < 0 ? null : blockedBy,
    };
  }

  async ruleBalances(agentId: string, { facts, limits, most }: RuleQuestion): Promise<RuleBalances> {
    const windows = limits.map(({ windowSeconds }) => windowSeconds * 1000);
    const fields = [...facts.map(factField), ...limits.map(({ key }) => limitField(key))];
    const asked = [agentId, JSON.stringify([fields, windows, most])];
    const [, unknown, ...found] = (await this.#call(SCRIPTS.ruleBalances, [this.#options.keys.state], asked)).map(
      Number,
    );
    const timeOf = (value = 0): number | null => (value > 0 ? value : null);
    return {
      facts: facts.map((_fact, at) => timeOf(found[at])),
      unknownUntilMs: timeOf(unknown),
      limits: limits.map((_limit, at): LimitBalance | null => {
        const [units = 0, nanos = 0, oldestMs] = found.slice(facts.length + 3 * at);
        if (units < 0) return null;
        return { consumed: { units, nanos }, oldestMs: timeOf(oldestMs) };
      }),
    };
  }

  async answerOf(accountId: string, keySha256: string): Promise<StoredAnswer | null> {
    const { keys } = this.#options;
    const [, text] = await this.#call(SCRIPTS.answerOf, [keys.state, keys.claim(accountId, keySha256)], []);
    return typeof text === 'string' ? (JSON.parse(text) as StoredAnswer) : null;
  }

  async useOnce({ name, by, madeMs }: OnceUse): Promise<OnceUsed> {
    const { keys } = this.#options;
    const [, code] = await this.#call(SCRIPTS.useOnce, [keys.state, keys.once(name)], [by ?? '', madeMs, ONCE_MS]);
    return ONCE_REPLIES[Number(code) - 1]!;
  }

  async claims(): Promise<ClaimFigures> {
    const [, all, open, evicted] = (await this.#call(SCRIPTS.claims, [this.#options.keys.state], [])).map(Number);
    return { open: open ?? 0, answered: (all ?? 0) - (open ?? 0), evicted: evicted ?? 0 };
  }

  async beginRebuild(): Promise<RebuildLease | null> {
    const begun = await this.#lease.begin(true);
    if (begun === 'serving') this.#state = null;
    if (begun !== 'mine') return null;
    this.#replayed = new Set();
    this.#state = REBUILDING_WORDS;
    return { settleMs: this.#options.settleMs };
  }

  async abandonRebuild(): Promise<void> {
    this.#replayed = new Set();
    await this.#lease.abandon();
  }

  async restore(snapshot: UsageSnapshot): Promise<void> {
    await this.#rebuild();
    for (const rows of snapshotRows(snapshot, this.#options.keys)) await this.#lease.put(SCRIPTS.restore, rows);
  }

  async replay(events: readonly CountedEvent[]): Promise<void> {
    await this.#rebuild();
    const fresh = events.filter(({ eventId }) => !this.#replayed.has(eventId) && this.#replayed.add(eventId));
    for (const rows of eventRows(fresh)) await this.#lease.put(SCRIPTS.replay, rows);
  }

  async serve(): Promise<void> {
    await this.#lease.serve();
    this.#replayed = new Set();
    this.#state = null;
  }

  async close(): Promise<void> {
    clearInterval(this.#look);
    await this.#lease.close().catch(() => undefined);
    await this.#options.link.close();
  }

  async #rebuild(): Promise<void> {
    if (!(await this.#lease.need())) return;
    this.#replayed = new Set();
    this.#state = REBUILDING_WORDS;
  }

  #check(trip: CheckTrip, script: Script): Promise<readonly unknown[]> {
    const { keys, claimBounds, ruleBounds } = this.#options;
    const sent = checkArguments(trip, keys, claimBounds, ruleBounds, script);
    const late = (reply: readonly unknown[]) => this.#withdraw(reply, trip);
    return this.#call(script, sent.keys, sent.args, { late });
  }

  async #call(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
    options?: CallOptions,
  ): Promise<readonly unknown[]> {
    const { link, testClock } = this.#options;
    const reply = await link.call(script, keys, args, testClock === null ? '' : testClock(), options);
    if (reply[0] === LOST) this.#state = LOST_WORDS;
    else if (reply[0] === REBUILDING) this.#state = REBUILDING_WORDS;
    else if (SHOWS_SERVICE.has(script)) this.#state = null;
    if (reply[0] === LOST || reply[0] === REBUILDING) throw new CountersUnavailable(this.#state ?? LOST_WORDS);
    return reply;
  }

  /** Counted after its caller was refused: its event is not appended. */
  #withdraw(reply: readonly unknown[], trip: CheckTrip): void {
    if (Number(reply[0]) < DONE || reply[0] === RULED) return;
    const result = checkResult(reply, trip);
    if (result.kind !== 'judged' && result.kind !== 'claimed') return;
    const keySha256 = trip.idempotency?.keySha256 ?? null;
    this.takeBack(trip.accountId, trip.agentId, result.judgement, keySha256).catch(() => undefined);
  }
}

const SHOWS_SERVICE: ReadonlySet<Script> = new Set([
  SCRIPTS.look,
  SCRIPTS.check,
  SCRIPTS.seenCheck,
  SCRIPTS.ruledCheck,
]);
