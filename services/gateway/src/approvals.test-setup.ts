import type { ApprovalFacts, ApprovalRequested, EventEnvelope } from '@countersign/contracts';
import { versionedRecord } from '@countersign/topics';

/** The request in the message of a check that waits for an approval. */
export function requestOf({ approvals = [] }: EventEnvelope): ApprovalRequested {
  const found = approvals.find((one): one is ApprovalRequested => one.state === 'requested');
  if (found === undefined) throw new Error('the check asks for no approval');
  return found;
}

/** The announcement of a decision, as policy publishes it. */
export function decisionOf(
  accountId: string,
  agentId: string,
  { id, ruleId, bindingSha256, expiresAt }: ApprovalRequested,
  state: ApprovalFacts['state'] = 'approved',
) {
  const facts = { accountId, agentId, ruleId, bindingSha256, state, expiresAt, usableUntil: expiresAt };
  return versionedRecord<ApprovalFacts>('approvals', id, 1, facts);
}
