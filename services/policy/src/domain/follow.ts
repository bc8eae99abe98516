import { checkAnswer } from '@countersign/contracts';
import type { EventEnvelope, JsonValue } from '@countersign/contracts';
import type { Agent } from './agent.js';
import { freezeAgent } from './life-cycle.js';
import type { EventDraft } from './change.js';
import { countForAccount, countForAgent } from './usage.js';
import { approvalIdsOf, followApprovals, readApprovalNews } from './follow-approvals.js';
import type { ApprovalNews, ChangedApproval } from './follow-approvals.js';
import type { Approval } from './approval.js';
import type { AccountTotals, AgentTotals, Claim, Counted } from './usage.js';

/** The part of an event of the log that policy follows. */
export interface FollowedCheck extends Counted {
  readonly eventId: string;
  readonly agentId: string;
  readonly accountId: string;
  readonly cadenceSeconds: number;
  readonly freezesAgent: boolean;
  readonly claim: Claim | null;
  /** Absent: it concerns no approval. */
  readonly approvals?: ApprovalNews;
  readonly approvalIds?: readonly string[];
  /** Of an order of erasure: the event whose content goes. */
  readonly erases?: string;
  /** An event that counts nothing and is part of no totals: of this service, or an order of erasure. */
  readonly isOwn?: true;
}

/**
 * `null` for an event that counts nothing, has no order, gives nothing back, freezes nothing, claims no key and concerns no
 * approval.
 */
export function readCheck(envelope: EventEnvelope, partition: number, offset: number): FollowedCheck | null {
  const { leaf, accountId, costMicros, countsAction, countsRate, freezesAgent, cadenceSeconds } = envelope;
  const { order, ruleCounts, approvals } = envelope;
  if (leaf.type === 'action.outcome') return readGivenBack(envelope, partition, offset);
  if (leaf.type === 'approval.decided' || leaf.type === 'approval.expired' || leaf.type === 'content.erased') {
    return readSettled(envelope, partition, offset);
  }
  if (leaf.type !== 'action.checked') return null;
  const occurredAtMs = Date.parse(leaf.occurredAt);
  const claim = claimOf(envelope, occurredAtMs);
  const counts = countsAction || countsRate || freezesAgent || costMicros !== 0 || order !== undefined;
  const news = readApprovalNews(envelope);
  if (!counts && claim === null && news === null) return null;
  return {
    partition,
    offset,
    eventId: leaf.eventId,
    agentId: leaf.agentId,
    accountId,
    occurredAtMs,
    cadenceSeconds,
    countsAction,
    countsRate,
    costMicros,
    freezesAgent,
    claim,
    ...(order === undefined ? {} : { order }),
    ...(order === undefined || ruleCounts === undefined ? {} : { ruleCounts }),
    ...(order === undefined || approvals === undefined ? {} : { approvalsOfCheck: approvals }),
    ...(news === null ? {} : { approvals: news, approvalIds: approvalIdsOf(news) }),
  };
}

function readSettled(envelope: EventEnvelope, partition: number, offset: number): FollowedCheck | null {
  const news = readApprovalNews(envelope);
  if (news === null) return null;
  const { leaf, accountId, cadenceSeconds } = envelope;
  const { eventId, agentId } = leaf;
  return {
    ...{ partition, offset, eventId, agentId, accountId, cadenceSeconds },
    occurredAtMs: Date.parse(leaf.occurredAt),
    ...{ countsAction: false, countsRate: false, costMicros: 0, freezesAgent: false, claim: null },
    approvals: news,
    approvalIds: approvalIdsOf(news),
    ...(news.erases === undefined ? {} : { erases: news.erases }),
    isOwn: true,
  };
}

function readGivenBack(envelope: EventEnvelope, partition: number, offset: number): FollowedCheck | null {
  const { leaf, accountId, cadenceSeconds, givesBack, givesBackHeld } = envelope;
  if (givesBack === undefined && givesBackHeld === undefined) return null;
  const { eventId, agentId } = leaf;
  return {
    ...{ partition, offset, eventId, agentId, accountId, cadenceSeconds },
    occurredAtMs: Date.parse(leaf.occurredAt),
    ...{ countsAction: false, countsRate: false, costMicros: 0, freezesAgent: false, claim: null },
    ...(givesBack === undefined
      ? {}
      : { givesBack: { costMicros: givesBack.costMicros, occurredAtMs: Date.parse(givesBack.occurredAt) } }),
    ...(givesBackHeld === undefined ? {} : { givesBackHeld }),
  };
}

/** Only answers with 200 are repeated for the same key. */
function claimOf(envelope: EventEnvelope, occurredAtMs: number): Claim | null {
  if (envelope.idempotency === null) return null;
  const answer = checkAnswer(envelope);
  if (answer === null || answer.status !== 200) return null;
  return {
    accountId: envelope.accountId,
    ...envelope.idempotency,
    eventId: answer.eventId,
    occurredAtMs,
    ...(envelope.leaf.profileVersion === null ? {} : { profileVersion: envelope.leaf.profileVersion }),
    answer: answer as unknown as JsonValue,
  };
}

/** A freeze that follows from a denial. */
export interface Frozen {
  readonly agent: Agent;
  readonly event: EventDraft;
  readonly because: FollowedCheck;
}

export interface Followed {
  readonly accountTotals: readonly AccountTotals[];
  readonly agentTotals: readonly AgentTotals[];
  readonly claims: readonly Claim[];
  readonly frozen: readonly Frozen[];
  readonly approvals: readonly ChangedApproval[];
}

export interface Known {
  agent(id: string): Agent | null;
  agentTotals(id: string): AgentTotals | null;
  accountTotals(id: string): AccountTotals | null;
  approval(id: string): Approval | null;
  /** Approvals that this event may have the comments of. */
  commented(eventId: string): readonly Approval[];
}

/**
 * Adds up a batch of one partition, each event once.
 * A denial with `freezesAgent` freezes its agent, unless the agent was unfrozen at or after the denial, is frozen or is
 * inactive; the denial is the author of the freeze.
 * Approvals are opened and used as the checks say.
 */
export function followChecks(followed: readonly FollowedCheck[], known: Known, nowMs: number): Followed {
  const checks = followed.filter(({ isOwn }) => isOwn !== true);
  const byAccount = grouped(checks, (check) => check.accountId);
  const byAgent = grouped(checks, (check) => check.agentId);
  const frozen: Frozen[] = [];
  const agentTotals = [...byAgent].map(([id, events]) => {
    const agent = known.agent(id);
    const because = agent === null ? undefined : firstFreezing(agent, events);
    if (agent !== null && because !== undefined) {
      const actor = { kind: 'system', id: because.eventId } as const;
      const change = freezeAgent(agent, null, actor, because.occurredAtMs, nowMs);
      if (change.kind === 'changed') frozen.push({ agent: change.agent, event: change.event, because });
    }
    return countForAgent(known.agentTotals(id), id, events, agent?.facts.profile.rate_limit ?? null);
  });
  return {
    accountTotals: [...byAccount].map(([id, events]) => countForAccount(known.accountTotals(id), id, events)),
    agentTotals,
    claims: checks.flatMap((check) => check.claim ?? []),
    frozen,
    approvals: followApprovals(
      followed.flatMap(({ approvals }) => approvals ?? []),
      (id) => known.approval(id),
      (eventId) => known.commented(eventId),
    ),
  };
}

function firstFreezing(agent: Agent, events: readonly FollowedCheck[]): FollowedCheck | undefined {
  return events.find((event) => event.freezesAgent && event.occurredAtMs > agent.facts.unfrozenAtMs);
}

function grouped(
  checks: readonly FollowedCheck[],
  keyOf: (check: FollowedCheck) => string,
): Map<string, FollowedCheck[]> {
  const groups = new Map<string, FollowedCheck[]>();
  for (const check of checks) {
    const group = groups.get(keyOf(check));
    if (group === undefined) groups.set(keyOf(check), [check]);
    else group.push(check);
  }
  return groups;
}
