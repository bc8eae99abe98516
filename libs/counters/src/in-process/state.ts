import type { FoundApproval } from '../approvals.js';
import { judgementOf } from '../judgement.js';
import type { OpenJudgement } from '../judgement.js';
import { allows } from '../port.js';
import type { AccountUsage, CheckTrip, CheckTripResult, Judgement, StaticViolation, StoredAnswer } from '../port.js';
import type { ApprovalDecision, ClaimBounds, HeldAmount, RuleBounds, VersionedKind } from '../port.js';
import { rateViolation, spendingViolation } from '../violations.js';
import { AgentApprovals } from './agent-approvals.js';
import { RuleRoom } from './agent-rules.js';
import { calendarDay } from './calendar.js';
import { ClaimBook, claimName, holds } from './claim-book.js';
import type { Claim } from './claim-book.js';
import { readBalances, RuleJudge } from './rule-judge.js';
import { AccountTotals, AgentTotals } from './totals.js';

const CONFLICT: CheckTripResult = { kind: 'conflict' };
/** Number of checks after which one agent is inspected for data to forget. */
const FORGET_EVERY = 8;

/** The counters as a state machine: time is a parameter, no waiting, no I/O. */
export class CountersState {
  readonly accounts = new Map<string, AccountTotals>();
  readonly agents = new Map<string, AgentTotals>();
  readonly claims: ClaimBook;
  readonly room: RuleRoom;
  readonly versions: Readonly<Record<VersionedKind, Map<string, number>>> = {
    account: new Map(),
    'api-key': new Map(),
    session: new Map(),
    agent: new Map(),
  };
  #checks = 0;
  #agentsToInspect = this.agents.entries();

  constructor(bounds: ClaimBounds, ruleBounds: RuleBounds) {
    this.claims = new ClaimBook(bounds);
    this.room = new RuleRoom(ruleBounds, (nowMs) => {
      for (const { rules } of this.agents.values()) rules?.forget(nowMs);
    });
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
      this.#giveBack(claim.agentId, superseded, () => true);
    }
    if (idempotency !== null && claim === undefined) {
      const most = this.claims.makeRoom(trip.accountId);
      if (most !== null) return { kind: 'crowded', most };
    }
    const judgement = this.#judge(trip, agent, frozen, nowMs);
    if (superseded !== null) this.#keepUsed(agent, superseded, judgement);
    // A refusal is not replayed: the key keeps its answer, so that another body is refused as before.
    if (idempotency !== null && (claim === undefined || claim.answer === null || judgement.countsAction)) {
      const { bodySha256 } = idempotency;
      const { accountId, agentId, profileVersion: allowedBy } = trip;
      const former = claim?.answer ? claim : (claim?.former ?? null);
      const judged = { agentId, atMs: nowMs, frozen, allowedBy, judgement, answer: null, attempts: 1, former };
      this.claims.put({ name, accountId, bodySha256, ...judged });
    }
    return superseded === null ? { kind: 'judged', judgement } : { kind: 'rejudged', judgement, superseded };
  }

  /** Drops totals and claims, keeps versions, freezes and unfreezes. */
  forgetCounts(): void {
    this.accounts.clear();
    this.claims.clear();
    this.room.kept = 0;
    for (const [id, { frozen, unfrozenAtMs }] of this.agents) {
      this.agents.set(id, Object.assign(new AgentTotals(), { frozen, unfrozenAtMs }));
    }
  }

  answered(accountId: string, keySha256: string, answer: StoredAnswer, entropy: string | null, nowMs: number): void {
    const claim = this.claims.get(claimName(accountId, keySha256), nowMs);
    if (claim === undefined || claim.answer !== null) return;
    if (entropy !== null && claim.judgement?.entropy !== entropy) return;
    if (answer.status !== 200) return this.claims.release(claim, nowMs);
    this.claims.answer(claim, answer, allows(answer) ? claim.allowedBy : null);
  }

  takeBack(accountId: string, agentId: string, judgement: Judgement, keySha256: string | null, nowMs: number): void {
    if (keySha256 !== null) {
      const claim = this.claims.get(claimName(accountId, keySha256), nowMs);
      if (claim === undefined || claim.answer !== null || claim.judgement?.entropy !== judgement.entropy) return;
      if (--claim.attempts > 0) return;
      this.claims.release(claim, nowMs);
    }
    this.#uncount(accountId, agentId, judgement);
    this.#giveBack(agentId, judgement, ({ usedBefore }) => usedBefore !== true);
    const agent = this.agent(agentId);
    if (judgement.seen?.order === agent.order) agent.order -= 1;
  }

  giveBackHeld(agentId: string, held: readonly HeldAmount[]): void {
    const rules = this.agents.get(agentId)?.rules ?? null;
    for (const one of held) rules?.giveBack(one);
  }

  decideApproval(decision: ApprovalDecision, nowMs: number): void {
    (this.agent(decision.agentId).approvals ??= new AgentApprovals()).decide(decision, nowMs);
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
    const { rules } = trip;
    if (rules === undefined && trip.wantsSeen !== true) return this.#judgeBy(trip, agent, frozen, nowMs, null);
    const seen = readBalances(agent, trip, this.#planUsed(trip, nowMs), nowMs);
    if (rules !== undefined) {
      const judge = new RuleJudge(rules, agent, seen, this.room, nowMs);
      return judge.count(this.#judgeBy(trip, agent, frozen, nowMs, judge));
    }
    const judgement = this.#judgeBy(trip, agent, frozen, nowMs, null);
    judgement.seen = seen;
    return judgement;
  }

  #judgeBy(
    trip: CheckTrip,
    agent: AgentTotals,
    frozen: boolean,
    nowMs: number,
    judge: RuleJudge | null,
  ): OpenJudgement {
    const refusal = this.#refusal(trip, frozen, nowMs);
    if (refusal !== null) return judgementOf(trip, nowMs, refusal, null);
    const enforced =
      trip.violation ??
      judge?.rule(false) ??
      spendingOf(trip, agent, nowMs) ??
      rateOf(trip, agent, nowMs) ??
      judge?.limit(false) ??
      judge?.noRoom() ??
      null;
    const violation = enforced ?? judge?.rule(true) ?? judge?.limit(true) ?? null;
    const judgement = judgementOf(trip, nowMs, enforced === null || trip.observe ? 'allowed' : 'denied', violation);
    this.account(trip.accountId).count(nowMs);
    if (judgement.costMicros > 0) agent.spend(judgement.costMicros, nowMs);
    if (judgement.countsRate) agent.countRate(nowMs);
    return judgement;
  }

  #planUsed({ accountId, plan }: CheckTrip, nowMs: number): number {
    const account = this.account(accountId);
    return plan.plan === 'sandbox' ? account.actionsEver : account.inPeriod(calendarDay(nowMs).month);
  }

  #refusal(trip: CheckTrip, frozen: boolean, nowMs: number): Judgement['outcome'] | null {
    const { actionCap, sandboxExpiresAtMs } = trip.plan;
    if (sandboxExpiresAtMs !== null && nowMs >= sandboxExpiresAtMs) return 'sandbox_expired';
    if (actionCap !== null && this.#planUsed(trip, nowMs) >= actionCap) return 'action_cap';
    return frozen ? 'frozen' : null;
  }

  #uncount(accountId: string, agentId: string, judgement: Judgement): void {
    const agent = this.agent(agentId);
    if (judgement.countsAction) this.account(accountId).takeBack(judgement.nowMs);
    if (judgement.costMicros > 0) agent.takeBackSpending(judgement.costMicros, judgement.nowMs);
    if (judgement.countsRate) agent.rate?.remove(judgement.nowMs);
    const { ruleCounts, seen, nowMs } = judgement;
    if (ruleCounts !== undefined && seen !== undefined) agent.rules?.revert(ruleCounts, seen.order, nowMs);
  }

  #giveBack(agentId: string, judgement: Judgement, isGiven: (approval: FoundApproval) => boolean): void {
    const { approvals } = this.agent(agentId);
    for (const approval of usedBy(judgement)) if (isGiven(approval)) approvals?.giveBack(approval);
  }

  /** Approvals that the earlier judgement of a check has used stay used: its event may be in the log. */
  #keepUsed({ approvals }: AgentTotals, superseded: Judgement, judgement: OpenJudgement): void {
    const before = usedBy(superseded);
    if (before.length === 0) return;
    for (const approval of before) approvals?.use(approval);
    const isOfBefore = ({ id, reusable }: FoundApproval): boolean => !reusable && before.some((one) => one.id === id);
    judgement.approvals &&= judgement.approvals.map((one) => (isOfBefore(one) ? { ...one, usedBefore: true } : one));
  }

  #forget(nowMs: number): void {
    this.claims.expire(nowMs);
    if (++this.#checks % FORGET_EVERY !== 0) return;
    const next = this.#agentsToInspect.next();
    if (next.done === true) this.#agentsToInspect = this.agents.entries();
    else if (next.value[1].forget(nowMs)) this.agents.delete(next.value[0]);
  }
}

/** The approvals that a check used. */
function usedBy({ outcome, approvals = [] }: Judgement): readonly FoundApproval[] {
  return outcome === 'allowed' ? approvals : [];
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
  const counted = agent.countedRate(windowMs, nowMs);
  if (counted < rate.max) return null;
  const blocking = rate.max > 0 ? agent.rate?.at(counted - rate.max) : undefined;
  return rateViolation(rate, counted, blocking === undefined ? null : blocking + windowMs);
}
