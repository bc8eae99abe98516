import { approvalId } from '@countersign/contracts';
import type { EventEnvelope, JsonValue, LeafEvent, Severity } from '@countersign/contracts';

/** An action that waits for the decision of a person. */
export interface RequestedApproval {
  readonly approvalId: string;
  /** Id of the rule that asks for it. */
  readonly rule: string;
  readonly expiresAt: string | null;
  /** The check that was denied for want of it. */
  readonly checkId: string;
  /** The page on which a person decides; it needs a session. */
  readonly url: string;
}

/**
 * A check that was denied or refused as frozen, a refused one that was executed anyway, an agent registered by an API key, or an
 * action that waits for a person.
 */
export interface Violation {
  readonly eventId: string;
  readonly agentId: string;
  readonly accountId: string;
  readonly severity: Severity;
  readonly violationType: LeafEvent['violation_type'];
  readonly reason: string | null;
  readonly occurredAt: string;
  /** With the agent it defines which violations are of one kind: the violation type, or the outcome if there is none. */
  readonly kind: string;
  /** Type of its message; absent: `violation.blocked`. */
  readonly messageType?: 'agent.registered_by_key' | 'approval.requested';
  /** Of `approval.requested`. */
  readonly approval?: RequestedApproval;
  readonly offset: number;
  /** When the log appended it, ms. */
  readonly loggedAtMs: number;
}

/**
 * `null` for an event that is not a violation. A check that waits for an approval is reported by the approval, once.
 * @param approvalsUrl the address of an approval's page, less its id
 */
export function readViolation(
  { leaf, accountId, apiKeyId, executedRefusal, openings, approvals = [] }: EventEnvelope,
  { offset, appendedAtMs }: { readonly offset: number; readonly appendedAtMs: number },
  approvalsUrl = '',
): Violation | null {
  if (leaf.type === 'approval.requested') {
    const approval = approvalOf(leaf, openings.action?.value, approvalsUrl);
    if (approval === null) return null;
    return {
      eventId: leaf.eventId,
      agentId: leaf.agentId,
      accountId,
      // It reaches every destination, however severe the rule is: a person has to decide in time.
      severity: 'P1',
      violationType: 'approval_required',
      reason: `An action waits for the decision of a person (rule ${approval.rule}).`,
      occurredAt: leaf.occurredAt,
      kind: `approval_requested/${approval.rule}`,
      messageType: 'approval.requested',
      approval,
      offset,
      loggedAtMs: appendedAtMs,
    };
  }
  if (approvals.some(({ state }) => state === 'requested')) return null;
  if (executedRefusal === true) {
    return {
      eventId: leaf.eventId,
      agentId: leaf.agentId,
      accountId,
      severity: 'P1',
      violationType: null,
      reason: `The check was refused, and its execution was reported: it ${leaf.outcome ?? 'was executed'}.`,
      occurredAt: leaf.occurredAt,
      kind: 'executed_refusal',
      offset,
      loggedAtMs: appendedAtMs,
    };
  }
  if (leaf.type === 'agent.created' && apiKeyId !== null) {
    return {
      eventId: leaf.eventId,
      agentId: leaf.agentId,
      accountId,
      severity: 'P2',
      violationType: null,
      reason: `This agent was registered with the API key ${apiKeyId}. If this was not intended, deactivate the agent and revoke the key.`,
      occurredAt: leaf.occurredAt,
      kind: 'registered_by_key',
      messageType: 'agent.registered_by_key',
      offset,
      loggedAtMs: appendedAtMs,
    };
  }
  if (leaf.type !== 'action.checked' || (leaf.outcome !== 'denied' && leaf.outcome !== 'frozen')) return null;
  return {
    eventId: leaf.eventId,
    agentId: leaf.agentId,
    accountId,
    // A refusal without a severity is not less urgent than others.
    severity: leaf.severity ?? 'P1',
    violationType: leaf.violation_type,
    reason: leaf.reason,
    occurredAt: leaf.occurredAt,
    kind: leaf.violation_type ?? leaf.outcome,
    offset,
    loggedAtMs: appendedAtMs,
  };
}

/** True if a destination for `least` and above is to be notified; `P1` is the highest. */
export function reaches(severity: Severity, least: Severity): boolean {
  return severity <= least;
}

/** `null`: the event does not say which approval it is. */
function approvalOf(leaf: LeafEvent, value: JsonValue | undefined, approvalsUrl: string): RequestedApproval | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { approval, rule, expiresAt } = value as { readonly [member: string]: JsonValue };
  if (typeof approval !== 'string' || typeof rule !== 'string') return null;
  const id = approvalId(approval);
  return {
    approvalId: id,
    rule,
    expiresAt: typeof expiresAt === 'string' ? expiresAt : null,
    checkId: leaf.refersTo ?? leaf.eventId,
    url: approvalsUrl + id,
  };
}
