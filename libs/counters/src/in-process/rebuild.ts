import { allows, CLAIM_MS } from '../port.js';
import type { CountedEvent, UsageSnapshot } from '../port.js';
import { claimName } from './claim-book.js';
import { RateWindow } from './rate-window.js';
import type { CountersState } from './state.js';

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
    ...back
  } of snapshot.agents) {
    const agent = state.agent(agentId);
    const { dayBackMicros = 0, monthBackMicros = 0 } = back;
    Object.assign(agent, { day, dayMicros, month, monthMicros, dayBackMicros, monthBackMicros });
    agent.rate = rateTimes.length > 0 ? new RateWindow() : null;
    for (const time of rateTimes) agent.rate?.add(time);
    if (frozen && unfrozenAtMs >= agent.unfrozenAtMs) agent.frozen = true;
    agent.unfrozenAtMs = Math.max(agent.unfrozenAtMs, unfrozenAtMs);
  }
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
  if (idempotency !== null) putAnswered(state, accountId, agentId, idempotency, occurredAtMs, nowMs);
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
  const answered = { agentId, atMs, frozen: false, allowedBy, judgement: null, answer, attempts: 0 };
  state.claims.put({ name, accountId, bodySha256, ...answered });
}
