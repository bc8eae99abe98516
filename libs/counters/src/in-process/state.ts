import { judgementOf } from '../judgement.js';
import { allows } from '../port.js';
import type { AccountUsage, CheckTrip, CheckTripResult, Judgement, StaticViolation, StoredAnswer } from '../port.js';
import type { ClaimBounds, VersionedKind } from '../port.js';
import { rateViolation, spendingViolation } from '../violations.js';
import { calendarDay } from './calendar.js';
import { ClaimBook, claimName, holds } from './claim-book.js';
import type { Claim } from './claim-book.js';
import { AccountTotals, AgentTotals } from './totals.js';

const CONFLICT: CheckTripResult = { kind: 'conflict' };
/** Number of checks after which one agent is inspected for data to forget. */
const FORGET_EVERY = 8;

/** The counters as a state machine: time is a parameter, no waiting, no I/O. */
export class CountersState {
  readonly accounts = new Map<string, AccountTotals>();
  readonly agents = new Map<string, AgentTotals>();
  readonly claims: ClaimBook;
  readonly versions: Readonly<Record<VersionedKind, Map<string, number>>> = {
    account: new Map(),
    'api-key': new Map(),
    session: new Map(),
    agent: new Map(),
  };
  #checks = 0;
  #agentsToInspect = this.agents.entries();

  constructor(bounds: ClaimBounds) {
    this.claims = new ClaimBook(bounds);
  }

  check(trip: CheckTrip, nowMs: number): CheckTripResult {
    this.#forget(nowMs);
    const { versions, idempotency } = trip;
    if (this.#above('api-key', trip.apiKeyId) > versions.apiKey) return this.#stale(trip, null);
    const name = idempotency === null ? '' : claimName(trip.accountId, idempotency.keySha256);
    let superseded: Judgement | null = null;
    let claim: Claim | undefined;
    if (idempotency !== null) {
      claim = this.claims.get(name, nowMs);
      if (claim !== undefined) {
        if (claim.bodySha256 !== idempotency.bodySha256) return CONFLICT;
        if (claim.answer !== null && claim.allowedBy === null) return { kind: 'answered', answer: claim.answer };
        superseded = claim.judgement;
      }
    }
    const stale =
      superseded !== null &&
      (superseded.versions.account > versions.account || superseded.versions.agent > versions.agent);
    if (
      stale ||
      this.#above('account', trip.accountId) > versions.account ||
      this.#above('agent', trip.agentId) > versions.agent
    ) {
      return this.#stale(trip, superseded);
    }
    const agent = this.agent(trip.agentId);
    const frozen = trip.frozen || agent.frozen;
    if (claim?.answer && holds(claim, trip.profileVersion, frozen, nowMs)) {
      return { kind: 'answered', answer: claim.answer };
    }
    if (claim !== undefined && superseded !== null) {
      const same = superseded.versions.account === versions.account && superseded.versions.agent === versions.agent;
      if (same && claim.frozen === frozen) {
        claim.attempts++;
        return { kind: 'claimed', judgement: superseded };
      }
      this.#uncount(trip.accountId, claim.agentId, superseded);
    }
    if (idempotency !== null && claim === undefined) {
      const most = this.claims.makeRoom(trip.accountId);
      if (most !== null) return { kind: 'crowded', most };
    }
    const judgement = this.#judge(trip, agent, frozen, nowMs);
    // A refusal is not replayed: the key keeps its answer, so that another body is refused as before.
    if (idempotency !== null && (claim === undefined || claim.answer === null || judgement.countsAction)) {
      const { bodySha256 } = idempotency;
      const { accountId, agentId, profileVersion: allowedBy } = trip;
      const judged = { agentId, atMs: nowMs, frozen, allowedBy, judgement, answer: null, attempts: 1 };
      this.claims.put({ name, accountId, bodySha256, ...judged });
    }
    return superseded === null ? { kind: 'judged', judgement } : { kind: 'rejudged', judgement, superseded };
  }

  /** Drops totals and claims, keeps versions, freezes and unfreezes. */
  forgetCounts(): void {
    this.accounts.clear();
    this.claims.clear();
    for (const [id, { frozen, unfrozenAtMs }] of this.agents) {
      this.agents.set(id, Object.assign(new AgentTotals(), { frozen, unfrozenAtMs }));
    }
  }

  answered(accountId: string, keySha256: string, answer: StoredAnswer, entropy: string | null, nowMs: number): void {
    const claim = this.claims.get(claimName(accountId, keySha256), nowMs);
    if (claim === undefined || claim.answer !== null) return;
    if (entropy !== null && claim.judgement?.entropy !== entropy) return;
    if (answer.status !== 200) return this.claims.drop(claim.name);
    this.claims.answer(claim, answer, allows(answer) ? claim.allowedBy : null);
  }

  takeBack(accountId: string, agentId: string, judgement: Judgement, keySha256: string | null, nowMs: number): void {
    if (keySha256 !== null) {
      const claim = this.claims.get(claimName(accountId, keySha256), nowMs);
      if (claim === undefined || claim.answer !== null || claim.judgement?.entropy !== judgement.entropy) return;
      if (--claim.attempts > 0) return;
      this.claims.drop(claim.name);
    }
    this.#uncount(accountId, agentId, judgement);
  }

  raise(kind: VersionedKind, id: string, version: number): void {
    if (version > this.#above(kind, id)) this.versions[kind].set(id, version);
  }

  unfreeze(agentId: string, nowMs: number): number {
    const agent = this.agent(agentId);
    agent.frozen = false;
    agent.unfrozenAtMs = Math.max(agent.unfrozenAtMs, nowMs);
    return agent.unfrozenAtMs;
  }

  usage(accountId: string, nowMs: number): AccountUsage {
    const account = this.accounts.get(accountId);
    const { month } = calendarDay(nowMs);
    return {
      actionsInPeriod: account?.inPeriod(month) ?? 0,
      actionsEver: account?.actionsEver ?? 0,
      period: account !== undefined && account.period > month ? account.period : month,
    };
  }

  account(accountId: string): AccountTotals {
    let account = this.accounts.get(accountId);
    if (account === undefined) this.accounts.set(accountId, (account = new AccountTotals()));
    return account;
  }

  agent(agentId: string): AgentTotals {
    let agent = this.agents.get(agentId);
    if (agent === undefined) this.agents.set(agentId, (agent = new AgentTotals()));
    return agent;
  }

  #above(kind: VersionedKind, id: string): number {
    return this.versions[kind].get(id) ?? -1;
  }

  #stale(trip: CheckTrip, claimed: Judgement | null): CheckTripResult {
    const { account, apiKey, agent } = trip.versions;
    return {
      kind: 'stale',
      versions: {
        account: Math.max(this.#above('account', trip.accountId), account, claimed?.versions.account ?? 0),
        apiKey: Math.max(this.#above('api-key', trip.apiKeyId), apiKey),
        agent: Math.max(this.#above('agent', trip.agentId), agent, claimed?.versions.agent ?? 0),
      },
    };
  }

  #judge(trip: CheckTrip, agent: AgentTotals, frozen: boolean, nowMs: number): Judgement {
    const refusal = this.#refusal(trip, frozen, nowMs);
    if (refusal !== null) return judgementOf(trip, nowMs, refusal, null);
    const violation = trip.violation ?? spendingOf(trip, agent, nowMs) ?? rateOf(trip, agent, nowMs);
    const judgement = judgementOf(trip, nowMs, violation === null || trip.observe ? 'allowed' : 'denied', violation);
    this.account(trip.accountId).count(nowMs);
    if (judgement.costMicros > 0) agent.spend(judgement.costMicros, nowMs);
    if (judgement.countsRate) agent.countRate(nowMs);
    return judgement;
  }

  #refusal({ plan, accountId }: CheckTrip, frozen: boolean, nowMs: number): Judgement['outcome'] | null {
    if (plan.sandboxExpiresAtMs !== null && nowMs >= plan.sandboxExpiresAtMs) return 'sandbox_expired';
    if (plan.actionCap !== null) {
      const account = this.account(accountId);
      const used = plan.plan === 'sandbox' ? account.actionsEver : account.inPeriod(calendarDay(nowMs).month);
      if (used >= plan.actionCap) return 'action_cap';
    }
    return frozen ? 'frozen' : null;
  }

  #uncount(accountId: string, agentId: string, judgement: Judgement): void {
    const agent = this.agent(agentId);
    if (judgement.countsAction) this.account(accountId).takeBack(judgement.nowMs);
    if (judgement.costMicros > 0) agent.takeBackSpending(judgement.costMicros, judgement.nowMs);
    if (judgement.countsRate) agent.rate?.remove(judgement.nowMs);
  }

  #forget(nowMs: number): void {
    this.claims.expire(nowMs);
    if (++this.#checks % FORGET_EVERY !== 0) return;
    const next = this.#agentsToInspect.next();
    if (next.done === true) this.#agentsToInspect = this.agents.entries();
    else if (next.value[1].forget(nowMs)) this.agents.delete(next.value[0]);
  }
}

function spendingOf({ spending, costMicros }: CheckTrip, agent: AgentTotals, nowMs: number): StaticViolation | null {
  if (spending === null || costMicros === 0) return null;
  const { limitMicros, window } = spending;
  const counted = window === 'action' ? 0 : agent.spent(window, nowMs);
  // Subtracted, because the sum may exceed the integers that a number holds exactly.
  return counted > limitMicros - costMicros ? spendingViolation(spending, counted, costMicros) : null;
}

function rateOf({ rate }: CheckTrip, agent: AgentTotals, nowMs: number): StaticViolation | null {
  if (rate === null) return null;
  const windowMs = rate.per_seconds * 1000;
  agent.rateWindowMs = windowMs;
  agent.rate?.trim(nowMs, windowMs);
  const counted = agent.rate?.count ?? 0;
  if (counted < rate.max) return null;
  const blocking = rate.max > 0 ? agent.rate?.at(counted - rate.max) : undefined;
  return rateViolation(rate, counted, blocking === undefined ? null : blocking + windowMs);
}
