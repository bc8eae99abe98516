import { allows, CLAIM_MS } from '../port.js';
import type { CountedEvent, LoggedApproval, UsageSnapshot } from '../port.js';
import { AgentApprovals } from './agent-approvals.js';
import { AgentRules } from './agent-rules.js';
import { claimName } from './claim-book.js';
import { RateWindow } from './rate-window.js';
import type { CountersState } from './state.js';
import type { AgentTotals } from './totals.js';

/** Puts a snapshot's facts into the state: totals replace, versions and freezes only increase. */
export function restoreSnapshot(state: CountersState, snapshot: UsageSnapshot, nowMs: number): void {
  for (const { accountId, period, actionsInPeriod, actionsEver } of snapshot.accounts) {
    Object.assign(state.account(accountId), { period, actionsInPeriod, actionsEver });
  }
  for (const {
    agentId,
    day,
    dayMicros,
    month,
    monthMicros,
    rateTimes,
    frozen,
    unfrozenAtMs,
    order = 0,
    rules,
    ...back
  } of snapshot.agents) {
    const agent = state.agent(agentId);
    const { dayBackMicros = 0, monthBackMicros = 0 } = back;
    Object.assign(agent, { day, dayMicros, month, monthMicros, dayBackMicros, monthBackMicros, order });
    agent.rules?.clear();
    agent.approvals = null;
    if (rules !== undefined) rulesOf(state, agent).restore(rules, nowMs);
    replayApprovals(agent, rules?.approvals, nowMs);
    agent.rate = rateTimes.length > 0 ? new RateWindow() : null;
    for (const time of rateTimes) agent.rate?.add(time);
    if (frozen && unfrozenAtMs >= agent.unfrozenAtMs) agent.frozen = true;
    agent.unfrozenAtMs = Math.max(agent.unfrozenAtMs, unfrozenAtMs);
  }
  for (const decision of snapshot.decisions ?? []) state.decideApproval(decision, nowMs);
  for (const { accountId, occurredAtMs, ...claim } of snapshot.claims) {
    putAnswered(state, accountId, '', claim, occurredAtMs, nowMs);
  }
  for (const { kind, id, version } of snapshot.versions) state.raise(kind, id, version);
}

/** Counts one event of the log as its check was counted. */
export function replayEvent(state: CountersState, event: CountedEvent, nowMs: number): void {
  const { accountId, agentId, occurredAtMs, idempotency } = event;
  if (event.countsAction) state.account(accountId).count(occurredAtMs);
  if (event.costMicros > 0) state.agent(agentId).spend(event.costMicros, occurredAtMs);
  if (event.countsRate) state.agent(agentId).countRate(occurredAtMs);
  if (event.freezesAgent) state.agent(agentId).freeze(occurredAtMs);
  if (event.order !== undefined) replayRules(state, event, event.order, nowMs);
  for (const held of event.givesBack ?? []) state.agents.get(agentId)?.rules?.giveBack(held);
  if (idempotency !== null) putAnswered(state, accountId, agentId, idempotency, occurredAtMs, nowMs);
}

/** Counts what the rules of a check of the log set and counted. @param order of the check among those of its agent */
export function replayRules(
  state: CountersState,
  event: Pick<CountedEvent, 'agentId' | 'occurredAtMs' | 'ruleCounts' | 'approvals'>,
  order: number,
  nowMs: number,
): void {
  const agent = state.agent(event.agentId);
  agent.order = Math.max(agent.order, order);
  replayApprovals(agent, event.approvals, nowMs);
  if (event.ruleCounts === undefined) return;
  rulesOf(state, agent).replay(event.ruleCounts, order, event.occurredAtMs, nowMs);
}

function replayApprovals(agent: AgentTotals, approvals: readonly LoggedApproval[] = [], nowMs: number): void {
  if (approvals.length === 0) return;
  agent.approvals ??= new AgentApprovals();
  for (const one of approvals) agent.approvals.replay(one, nowMs);
}

function rulesOf(state: CountersState, agent: AgentTotals): AgentRules {
  return (agent.rules ??= new AgentRules(state.room));
}

function putAnswered(
  state: CountersState,
  accountId: string,
  agentId: string,
  { keySha256, bodySha256, profileVersion, answer }: NonNullable<CountedEvent['idempotency']>,
  atMs: number,
  nowMs: number,
): void {
  const name = claimName(accountId, keySha256);
  const known = state.claims.get(name, nowMs);
  if (answer.status !== 200 || nowMs - atMs >= CLAIM_MS) return;
  if (known !== undefined && known.answer !== null && known.atMs >= atMs) return;
  const allowedBy = allows(answer) ? (profileVersion ?? -1) : null;
  const answered = { agentId, atMs, frozen: false, allowedBy, judgement: null, answer, attempts: 0, former: null };
  state.claims.put({ name, accountId, bodySha256, ...answered });
}
