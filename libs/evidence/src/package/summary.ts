import type { EventStatus, InclusionProof, LeafEvent, PackageSummary } from '@countersign/contracts';

/** The part of an entry of `events` that the summary counts. */
export interface SummaryEntry {
  readonly event: LeafEvent;
  readonly status: EventStatus;
}

const DECISIONS = {
  allowed: 'allowed',
  denied: 'denied',
  frozen: 'frozen',
  sandbox_expired: 'capped',
  action_cap: 'capped',
} as const;

/**
 * The figures of a package. `events`, the statuses and the anchors count all entries; the decisions, `byViolation` and
 * `outcomes` only `action.checked`. `outcomes.reported` counts checks that an outcome in the same package refers to.
 * `byViolation` names only what occurred.
 */
export function summarize(entries: readonly SummaryEntry[], proofs: readonly InclusionProof[]): PackageSummary {
  const decisions = { allowed: 0, denied: 0, frozen: 0, capped: 0 };
  const statuses = { Satisfied: 0, Prevented: 0, 'Gap, review required': 0 };
  // A violation type may have any name, also that of a member of Object.prototype.
  const byViolation = new Map<string, number>();
  const outcomeOf = new Set<string | null>();
  for (const { event } of entries) if (event.type === 'action.outcome') outcomeOf.add(event.refersTo);
  let checks = 0;
  let reported = 0;
  for (const { event, status } of entries) {
    statuses[status] += 1;
    if (event.type !== 'action.checked') continue;
    checks += 1;
    if (outcomeOf.has(event.eventId)) reported += 1;
    decisions[DECISIONS[event.outcome as keyof typeof DECISIONS]] += 1;
    const violation = event.violation_type;
    if (violation !== null) byViolation.set(violation, (byViolation.get(violation) ?? 0) + 1);
  }
  const anchored = proofs.filter((proof) => proof.anchored).length;
  return {
    events: entries.length,
    ...decisions,
    satisfied: statuses.Satisfied,
    prevented: statuses.Prevented,
    gap: statuses['Gap, review required'],
    anchored,
    unanchored: proofs.length - anchored,
    byViolation: Object.fromEntries(byViolation),
    outcomes: { reported, of: checks },
  };
}
