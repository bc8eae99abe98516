import type { EventEnvelope, Severity, ViolationType } from '@countersign/contracts';

/** What alerts needs of a check that was denied or refused as frozen, and of one that was executed all the same. */
export interface Violation {
  readonly eventId: string;
  readonly agentId: string;
  readonly accountId: string;
  readonly severity: Severity;
  readonly violationType: ViolationType | null;
  readonly reason: string | null;
  readonly occurredAt: string;
  /** With the agent it says which violations are of one kind: the violation type, or the outcome where there is none. */
  readonly kind: string;
  readonly offset: number;
  /** When the log took it, ms. */
  readonly loggedAtMs: number;
}

/** `null` for whatever nobody is to be told of. */
export function readViolation(
  { leaf, accountId, executedRefusal }: EventEnvelope,
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
  if (leaf.type !== 'action.checked' || (leaf.outcome !== 'denied' && leaf.outcome !== 'frozen')) return null;
  return {
    eventId: leaf.eventId,
    agentId: leaf.agentId,
    accountId,
    // A refusal without one is not less urgent than any other.
    severity: leaf.severity ?? 'P1',
    violationType: leaf.violation_type,
    reason: leaf.reason,
    occurredAt: leaf.occurredAt,
    kind: leaf.violation_type ?? leaf.outcome,
    offset,
    loggedAtMs: appendedAtMs,
  };
}

/** Whether a destination that wants `least` and above is told; `P1` is the highest. */
export function reaches(severity: Severity, least: Severity): boolean {
  return severity <= least;
}
