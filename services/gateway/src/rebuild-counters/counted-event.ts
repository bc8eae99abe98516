import { checkAnswer } from '@countersign/contracts';
import type { EventEnvelope } from '@countersign/contracts';
import type { CountedEvent, LoggedApproval } from '@countersign/counters';

/** Offsets up to which the totals of an account or an agent count: events below are included. */
export interface StandsAt {
  account(accountId: string, partition: number): number;
  agent(agentId: string): number;
}

/** Effect of an event of the log on counters that were restored from totals; `null`: none. */
export function countedEvent(
  envelope: EventEnvelope,
  partition: number,
  offset: number,
  standsAt: StandsAt,
): CountedEvent | null {
  const { leaf, accountId, order, ruleCounts, approvals } = envelope;
  if (leaf.type === 'action.outcome') return returnedAmounts(envelope, partition, offset, standsAt);
  if (leaf.type !== 'action.checked') return null;
  const forAccount = offset >= standsAt.account(accountId, partition);
  const forAgent = offset >= standsAt.agent(leaf.agentId);
  const answer = envelope.idempotency === null ? null : checkAnswer(envelope);
  return {
    partition,
    offset,
    accountId,
    agentId: leaf.agentId,
    eventId: leaf.eventId,
    occurredAtMs: Date.parse(leaf.occurredAt),
    countsAction: forAccount && envelope.countsAction,
    countsRate: forAgent && envelope.countsRate,
    costMicros: forAgent ? envelope.costMicros : 0,
    freezesAgent: envelope.freezesAgent,
    ...(order !== undefined && forAgent ? { order, ...(ruleCounts === undefined ? {} : { ruleCounts }) } : {}),
    ...(order !== undefined && forAgent && approvals !== undefined ? { approvals: loggedApprovals(approvals) } : {}),
    idempotency:
      envelope.idempotency === null || answer === null || answer.status !== 200
        ? null
        : { ...envelope.idempotency, profileVersion: leaf.profileVersion, answer },
  };
}

/** Approvals that the check waits for or has used up; one that may be used again stays as it was decided. */
function loggedApprovals(approvals: NonNullable<EventEnvelope['approvals']>): readonly LoggedApproval[] {
  return approvals.flatMap(({ id, bindingSha256, expiresAt, state }) => {
    const expiresAtMs = Date.parse(expiresAt);
    return state === 'used' ? [] : [{ id, bindingSha256, expiresAtMs, isConsumed: state === 'consumed' }];
  });
}

/** Reserved amounts that the outcome of a skipped action returns to their limits; `null`: none, or the totals are without them. */
function returnedAmounts(
  { leaf, accountId, givesBackHeld }: EventEnvelope,
  partition: number,
  offset: number,
  standsAt: StandsAt,
): CountedEvent | null {
  if (givesBackHeld === undefined || offset < standsAt.agent(leaf.agentId)) return null;
  return {
    ...{ partition, offset, accountId, agentId: leaf.agentId, eventId: leaf.eventId },
    occurredAtMs: Date.parse(leaf.occurredAt),
    ...{ countsAction: false, countsRate: false, costMicros: 0, freezesAgent: false, idempotency: null },
    givesBack: givesBackHeld,
  };
}
