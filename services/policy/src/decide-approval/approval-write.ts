import { randomBytes } from 'node:crypto';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { versionedRecord } from '@countersign/topics';
import type { NewRecord } from '@countersign/event-log';
import { approvalFacts, recordVersion, wasDecided } from '../domain/approval.js';
import type { Approval } from '../domain/approval.js';
import { approvalEvent, commitsComments } from '../domain/approval-event.js';
import type { ApprovalEvent } from '../domain/approval-event.js';
import type { EventEntropy } from '../domain/agent-event.js';
import type { ApprovalWrite } from '../store/approvals-port.js';

/** An event, with its random bytes where they must be certain ones. */
type WrittenEvent = ApprovalEvent & { readonly entropy?: EventEntropy };

/** The durable write of a change of an approval: its record in the topic `approvals`, and its events. */
export function approvalWrite(approval: Approval, events: readonly WrittenEvent[]): ApprovalWrite {
  let written = approval;
  const messages = events.map(({ entropy = { id: randomBytes(10), salt: randomBytes(16) }, ...event }) => {
    const envelope = approvalEvent(approval, event, entropy, nodeCrypto.sha256);
    if (commitsComments(approval, event)) written = { ...written, commentsIn: envelope.leaf.eventId };
    return { topic: 'agent-events', key: approval.agentId, value: JSON.stringify(envelope) } as const;
  });
  return { approval: written, records: [...messages, ...recordOf(approval)] };
}

/** Its record; none before the decision. It is removed once gateways have no use for it any more. */
export function recordOf(approval: Approval): readonly NewRecord[] {
  if (!wasDecided(approval)) return [];
  return [versionedRecord('approvals', approval.id, recordVersion(approval), approvalFacts(approval))];
}
