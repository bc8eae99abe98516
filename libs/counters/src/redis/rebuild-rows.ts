import { allows } from '../port.js';
import type {
  ApprovalDecision,
  CountedEvent,
  HeldAmount,
  LoggedApproval,
  RuleSnapshot,
  StoredAnswer,
  UsageSnapshot,
} from '../port.js';
import { SESSION_KEPT_MS, shortHash } from './keys.js';
import type { Keys } from './keys.js';
import { dayNumber, monthNumber } from './months.js';
import { factField, heldRows, limitField } from './rule-arguments.js';

/** Rows of one script call: it must not block Redis for long. */
const ROWS = 250;
/** Times of a rate in one row; a Lua call takes no more than some thousands of arguments. */
const TIMES = 1_000;
/** Weight of such a row among others. */
const RATE_ROW = 10;
/** The maximum `max` of a rate limit: older times never decide. */
const MOST_TIMES = 100_000;

type Value = string | number | boolean;
type Row = readonly (Value | readonly (Value | readonly Value[])[])[];

/** A snapshot as JSON for the script `RESTORE`, in portions. */
export function* snapshotRows(snapshot: UsageSnapshot, keys: Keys): Generator<string> {
  yield* portions(restoreRows(snapshot, keys));
}

/** Events as JSON for the script `REPLAY`, in portions. */
export function* eventRows(events: readonly CountedEvent[]): Generator<string> {
  yield* portions(events.map(eventRow));
}

function* portions(rows: Iterable<Row>): Generator<string> {
  let portion: Row[] = [];
  let weight = 0;
  for (const row of rows) {
    portion.push(row);
    weight += row[0] === 'r' || row[0] === 'l' ? RATE_ROW : 1;
    if (weight < ROWS) continue;
    yield JSON.stringify(portion);
    portion = [];
    weight = 0;
  }
  // Even an empty snapshot begins a rebuild.
  yield JSON.stringify(portion);
}

function* restoreRows(snapshot: UsageSnapshot, keys: Keys): Generator<Row> {
  const { accounts, agents, claims, versions, decisions = [] } = snapshot;
  for (const { accountId, period, actionsInPeriod, actionsEver } of accounts) {
    yield ['a', accountId, monthNumber(period), actionsInPeriod, actionsEver];
  }
  for (const agent of agents) {
    const { agentId, day, dayMicros, month, monthMicros, rateTimes, frozen, unfrozenAtMs } = agent;
    const sums = [dayNumber(day), dayMicros, monthNumber(month), monthMicros];
    const back = [agent.dayBackMicros ?? 0, agent.monthBackMicros ?? 0];
    yield ['g', agentId, ...sums, frozen ? 1 : 0, unfrozenAtMs, ...back, agent.order ?? 0];
    const times = [...rateTimes].sort((a, b) => a - b).slice(-MOST_TIMES);
    for (let i = 0; i < times.length; i += TIMES) yield ['r', agentId, times.slice(i, i + TIMES)];
  }
  for (const { agentId, rules } of agents) if (rules !== undefined) yield* ruleRows(agentId, rules);
  for (const { agentId, ...decision } of decisions) yield ['d', agentId, ...decisionParts(decision)];
  for (const { accountId, keySha256, bodySha256, occurredAtMs, profileVersion, answer } of claims) {
    if (answer.status !== 200) continue;
    const kept = [JSON.stringify(answer), allowedBy(answer, profileVersion)];
    yield ['c', accountId, shortHash(keySha256), bodySha256, occurredAtMs, ...kept];
  }
  for (const { kind, id, version } of versions) {
    const row = ['v', keys.versioned(kind, id), version];
    yield kind === 'session' ? [...row, SESSION_KEPT_MS] : row;
  }
}

function* ruleRows(agentId: string, { facts, limits, approvals = [] }: RuleSnapshot): Generator<Row> {
  for (const approval of approvals) yield ['p', agentId, ...approvalParts(approval)];
  for (const fact of facts) yield ['f', agentId, factField(fact), fact.order, fact.expiresAtMs];
  // A profile may have changed the length of a window: each amount counts for the length that it was counted with.
  const windows = new Map<string, (HeldAmount & { readonly windowSeconds: number })[]>();
  for (const held of limits) {
    const name = `${held.windowSeconds} ${held.key}`;
    const window = windows.get(name);
    if (window === undefined) windows.set(name, [held]);
    else window.push(held);
  }
  for (const window of windows.values()) {
    const { key, windowSeconds } = window[0]!;
    for (let i = 0; i < window.length; i += TIMES) {
      const amounts = window.slice(i, i + TIMES);
      const flat = amounts.flatMap(({ atMs, order, amount }) => [atMs, order, amount.units, amount.nanos]);
      yield ['l', agentId, limitField(key), windowSeconds * 1000, flat];
    }
  }
}

function eventRow(event: CountedEvent): Row {
  const { accountId, agentId, occurredAtMs, costMicros, idempotency } = event;
  const flag = (set: boolean) => (set ? 1 : 0);
  const row = [
    accountId,
    agentId,
    occurredAtMs,
    flag(event.countsAction),
    costMicros,
    flag(event.countsRate),
    flag(event.freezesAgent),
  ];
  const ruled = ruleParts(event);
  // Other answers are not replayed.
  if (idempotency?.answer.status !== 200) return ruled === null ? row : [...row, false, false, false, false, ...ruled];
  const { keySha256, bodySha256, profileVersion, answer } = idempotency;
  const kept = [shortHash(keySha256), bodySha256, JSON.stringify(answer), allowedBy(answer, profileVersion)];
  return [...row, ...kept, ...(ruled ?? [])];
}

/** Order, facts, limits, amounts given back and approvals; `null`: the event has none. */
function ruleParts({ order = 0, ruleCounts, givesBack = [], approvals = [] }: CountedEvent): Row | null {
  if (order === 0 && givesBack.length === 0) return null;
  const facts = ruleCounts?.facts.flatMap((fact) => [factField(fact), fact.expiresAtMs]) ?? [];
  const limits =
    ruleCounts?.limits.flatMap(({ key, windowSeconds, amount }) => [
      limitField(key),
      windowSeconds * 1000,
      amount.units,
      amount.nanos,
    ]) ?? [];
  return [order, facts, limits, heldRows(givesBack), approvals.flatMap(approvalParts)];
}

function approvalParts({ bindingSha256, id, expiresAtMs, isConsumed }: LoggedApproval): readonly Value[] {
  return [bindingSha256, id, expiresAtMs, isConsumed ? 1 : 0];
}

function decisionParts(decision: Omit<ApprovalDecision, 'agentId'>): readonly Value[] {
  const { bindingSha256, id, state, expiresAtMs, usableUntilMs, reusable } = decision;
  return [bindingSha256, id, state === 'approved', expiresAtMs, usableUntilMs, reusable];
}

/** As the fifth of `lua/claims.ts`. */
function allowedBy(answer: StoredAnswer, profileVersion: number | null): number {
  return allows(answer) ? (profileVersion ?? -1) : 0;
}
