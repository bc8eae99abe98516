import type { EventEnvelope, LeafEvent, Severity } from '@countersign/contracts';

/** A check that was denied or refused as frozen, a refused one that was executed anyway, or an agent registered by an API key. */
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
  readonly messageType?: 'agent.registered_by_key';
  readonly offset: number;
  /** When the log appended it, ms. */
  readonly loggedAtMs: number;
}

/** `null` for an event that is not a violation. */
export function readViolation(
  { leaf, accountId, apiKeyId, executedRefusal }: EventEnvelope,
  { offset, appendedAtMs }: { readonly offset: number; readonly appendedAtMs: number },
): Violation | null {
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
