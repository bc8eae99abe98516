import { randomBytes } from 'node:crypto';
import { BackgroundLoop } from '@countersign/async';
import type { RetentionMonths } from '@countersign/process';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { ServiceContext } from '@countersign/service-kit';
import type { DeclaredScope } from '@countersign/contracts';
import { ContentHeld, TooLate, type ErasureGate } from '../legal-holds/erasure-gate.js';
import { holds } from '../legal-holds/legal-hold.js';
import { HoldsMissing } from '../store/hold-documents.js';
import type { AgentOfAccount, EventStore, KeptContent } from '../store/port.js';
import { look, NOTHING_BELIEVED, type ClockBelief } from './believed-clock.js';
import { monthsBefore, periodOf } from './periods.js';
import { dueOf, retentionEvent } from './retention-event.js';
import type { RetentionMetrics } from './retention-metrics.js';

/** Most that one pass examines and takes, and the pause after one, ms: shorter where a pass could not take all. */
export interface RetentionPace {
  readonly agents: number;
  readonly events: number;
  readonly contents: number;
  readonly everyMs: number;
  readonly againMs: number;
}

export const PACE: RetentionPace = { agents: 100, events: 20, contents: 500, everyMs: 60_000, againMs: 1_000 };

const DAY_MS = 86_400_000;
const CARRIED_OUT_MS = 30_000;
/** Time before content that is still kept is ordered to be taken again. */
const ASK_AGAIN_MS = DAY_MS;

/** The job was stopped before the archive had carried out what it sent. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Parts of audit-log that the job works with. */
export interface RetentionPlace {
  readonly store: EventStore;
  readonly gate: Pick<ErasureGate, 'inForce' | 'carryOut'>;
  readonly months: RetentionMonths;
  /** Declaration of the account; `null`: none. */
  readonly declared: (accountId: string) => DeclaredScope | null;
  /** `null`: the account is not known here. */
  readonly cadenceOf: (accountId: string) => number | null;
  /** Resolves once everything below the offsets is stored. */
  readonly carriedOut: (offsets: Readonly<Record<number, number>>, timeoutMs: number) => Promise<void>;
  /** A monotonic clock, ms. */
  readonly ranMs: () => number;
  readonly metrics: RetentionMetrics;
}

interface Saved {
  readonly belief: ClockBelief;
  /** The agent that was looked at last; empty: none in this round. */
  readonly after: string;
}

/**
 * Takes content away by its age: a turn looks at some agents and writes `retention.applied` for what is due; the archive
 * deletes when it comes back. Where a turn ended is stored, so any instance goes on from there. An instance takes a turn
 * only after it has seen none of another for a whole pause.
 */
export class Retention {
  readonly #context: Pick<ServiceContext, 'eventLog' | 'counters' | 'clock' | 'log'>;
  readonly #place: RetentionPlace;
  readonly #pace: RetentionPace;
  #seen: { readonly turn: number; readonly atMs: number } | null = null;
  /** By agent: up to where its content was asked to go last, and when. */
  readonly #asked = new Map<string, { readonly through: number; readonly atMs: number }>();
  #stopped = false;
  #end: () => void = () => undefined;
  readonly #ended = new Promise<false>((resolve) => (this.#end = () => resolve(false)));
  readonly #loop: BackgroundLoop;

  constructor(
    context: Pick<ServiceContext, 'eventLog' | 'counters' | 'clock' | 'log'>,
    place: RetentionPlace,
    pace = PACE,
  ) {
    this.#context = context;
    this.#place = place;
    this.#pace = pace;
    this.#loop = new BackgroundLoop(
      async () => ((await this.turn()) ? pace.againMs : pace.everyMs),
      (error) => {
        context.log.error({ err: error }, 'a turn of retention failed; it is tried again');
        return pace.everyMs;
      },
    );
  }

  start(): void {
    this.#loop.poke();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#end();
    await this.#loop.stop();
  }

  /** One turn, where it is this instance's to take; `true` where it took as much as a turn may, and more may be due. */
  async turn(): Promise<boolean> {
    const { more, doubted } = await this.#turn();
    this.#place.metrics.turned({ more, doubted });
    return more;
  }

  async #turn(): Promise<{ readonly more: boolean; readonly doubted: boolean }> {
    const { store, ranMs } = this.#place;
    const state = await store.retentionState();
    const turn = state?.turn ?? 0;
    const nowMs = ranMs();
    if (this.#seen?.turn !== turn) {
      this.#seen = { turn, atMs: nowMs };
      return NOT_OURS;
    }
    const { belief, after } = state === null ? FIRST : (JSON.parse(state.body) as Saved);
    // The lesser of two clocks: one alone cannot make anything old.
    const shownMs = Math.min(this.#context.clock(), await this.#context.counters.now());
    const now = look(belief, shownMs, nowMs - this.#seen.atMs);
    this.#tellDoubt(belief, now);
    if (!(await this.#save(turn + 1, { belief: now, after }))) return NOT_OURS;
    this.#seen = { turn: turn + 1, atMs: nowMs };
    if (now.believedMs === null) return NOT_OURS;
    const { reached, more } = await this.#round(after, now.believedMs);
    if (await this.#save(turn + 2, { belief: now, after: reached })) this.#seen = { turn: turn + 2, atMs: nowMs };
    return { more, doubted: now.doubted !== null };
  }

  /** Gives the agent after which the next turn goes on, and whether this one ended before its agents did. */
  async #round(after: string, nowMs: number): Promise<{ readonly reached: string; readonly more: boolean }> {
    const agents = await this.#place.store.agentsAfter(after, this.#pace.agents);
    let reached = after;
    let budget = this.#pace.events;
    for (const agent of agents) {
      while (await this.#tryToTake(agent, nowMs)) {
        budget -= 1;
        if (budget <= 0 || this.#stopped) return { reached, more: true };
      }
      if (this.#stopped) return { reached, more: true };
      reached = agent.agentId;
      // Between two agents others have their turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { reached: agents.length < this.#pace.agents ? '' : reached, more: false };
  }

  /**
   * The content before the first of an agent that a legal hold keeps: `retention.applied` takes all up to a leaf, so what is
   * after held content waits with it.
   */
  async #beforeHeld(
    { agentId, accountId }: AgentOfAccount,
    due: readonly KeptContent[],
  ): Promise<readonly KeptContent[]> {
    if (due.length === 0) return due;
    const inForce = (await this.#place.gate.inForce(accountId)).filter(
      ({ agentIds }) => agentIds === null || agentIds.includes(agentId),
    );
    const isHeld = ({ occurredAtMs }: KeptContent): boolean =>
      inForce.some((hold) => holds(hold, { accountId, agentId, times: [occurredAtMs] }));
    const end = due.findIndex(isHeld);
    return end < 0 ? due : due.slice(0, end);
  }

  /** As `#take`; what keeps one agent's content from being taken leaves those after it alone. */
  async #tryToTake(agent: AgentOfAccount, nowMs: number): Promise<boolean> {
    try {
      return await this.#take(agent, nowMs);
    } catch (error) {
      if (!(error instanceof HoldsMissing || error instanceof TooLate)) throw error;
      const { accountId, agentId } = agent;
      this.#place.metrics.failed();
      this.#context.log.error({ err: error, accountId, agentId }, 'content of an agent could not be taken by its age');
      return false;
    }
  }

  /** Takes what is due of one agent, a part at a time; `false` when nothing is, it is held, or what was asked to go has stayed. */
  async #take({ agentId, accountId }: AgentOfAccount, nowMs: number): Promise<boolean> {
    const { store, gate, months, declared, cadenceOf, carriedOut, ranMs } = this.#place;
    const period = periodOf(declared(accountId), nowMs, months);
    const beforeMs = monthsBefore(nowMs, period.months);
    const kept = await store.keptContent(agentId, this.#pace.contents);
    const [first, ...rest] = await this.#beforeHeld({ agentId, accountId }, dueOf(kept, beforeMs));
    const oldest = kept[0];
    if (oldest !== undefined && oldest.occurredAtMs > nowMs + DAY_MS) {
      this.#context.log.warn(
        { agentId, eventId: oldest.eventId },
        'the oldest content that is kept says that it is from the future: nothing after it is taken before it',
      );
    }
    const cadenceSeconds = cadenceOf(accountId);
    if (first === undefined || cadenceSeconds === null) {
      this.#asked.delete(agentId);
      return false;
    }
    const asked = this.#asked.get(agentId);
    if (asked !== undefined && first.sequence <= asked.through && ranMs() - asked.atMs < ASK_AGAIN_MS) {
      // Asked again and again it would fill the log without an end.
      this.#context.log.error({ agentId, eventId: first.eventId }, 'content that was taken by its age is still kept');
      return false;
    }
    const envelope = retentionEvent(
      { accountId, agentId, cadenceSeconds, content: [first, ...rest], period, beforeMs },
      await this.#context.counters.now(),
      randomBytes,
      nodeCrypto.sha256,
    );
    const value = JSON.stringify(envelope);
    const reach = { accountId, agentId, times: [first, ...rest].map(({ occurredAtMs }) => occurredAtMs) };
    try {
      await gate.carryOut(reach, envelope.leaf.eventId, async () => {
        const appended = await this.#context.eventLog.append([{ topic: 'agent-events', key: agentId, value }]);
        this.#asked.set(agentId, { through: (rest.at(-1) ?? first).sequence, atMs: ranMs() });
        this.#place.metrics.took(rest.length + 1);
        const taken = { agentId, count: rest.length + 1, months: period.months };
        this.#context.log.info(taken, 'content was taken by its age');
        const offsets = Object.fromEntries(appended.map(({ partition, offset }) => [partition, offset + 1]));
        const isCarriedOut = carriedOut(offsets, CARRIED_OUT_MS).then(() => true);
        // Rejects, so that the erasure stays registered.
        if (!(await Promise.race([isCarriedOut, this.#ended]))) throw new Stopped('retention was stopped');
      });
    } catch (error) {
      // The hold was placed since this turn read them: the next one stops before what it keeps.
      if (error instanceof ContentHeld || error instanceof Stopped) return false;
      throw error;
    }
    return !this.#stopped;
  }

  #tellDoubt(before: ClockBelief, { doubted }: ClockBelief): void {
    if (doubted === null || (before.doubted !== null && doubted.ranMs > 0)) return;
    if (before.believedMs === null) {
      this.#context.log.info('retention begins once this clock has been seen to run on evenly for seven days');
      return;
    }
    this.#context.log.warn(
      { shown: new Date(doubted.shownMs).toISOString(), believed: new Date(before.believedMs).toISOString() },
      'the clock is ahead of what retention knows: it is believed after it has run on evenly for seven days',
    );
  }

  #save(turn: number, saved: Saved): Promise<boolean> {
    return this.#place.store.saveRetentionState(turn, JSON.stringify(saved));
  }
}

/** Another instance's turn, or the first looks at a clock: nothing is late. */
const NOT_OURS = { more: false, doubted: false } as const;
const FIRST: Saved = { belief: NOTHING_BELIEVED, after: '' };
