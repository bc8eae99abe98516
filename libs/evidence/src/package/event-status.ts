import type { EventStatus, LeafEvent, ReportedOutcome } from '@countersign/contracts';

/** Facts that the status of an event depends on, in addition to the event itself. */
export interface StatusFacts {
  readonly event: LeafEvent;
  /** `false` where the event's inclusion proof or its sequence number does not hold. */
  readonly holds: boolean;
  /** Reported outcomes of this check (`action.outcome` events that refer to it), in any order. */
  readonly reported: readonly ReportedOutcome[];
  /** True if an `action.unanswered` event names this check. */
  readonly unanswered: boolean;
  /** The check that an `action.outcome` refers to. */
  readonly referred: LeafEvent | null;
  /** True if the action names a data scope. Used only for `data_access`. */
  readonly dataScope: boolean;
}

export interface StatusVerdict {
  readonly status: EventStatus;
  readonly statusReason: string | null;
}

const gap = (statusReason: string): StatusVerdict => ({ status: 'Gap, review required', statusReason });

/** All verdicts; reports quote these sentences. */
export const STATUS_VERDICTS = {
  unproven: gap('The inclusion proof or the sequence number of the event does not hold.'),
  observed: gap('Observe mode let a violation pass.'),
  executed: gap('The check was refused, and its execution was reported.'),
  execution: gap('The outcome reports the execution of a check that was refused.'),
  unanswered: gap('The answer to the check may not have reached its caller.'),
  scopeless: gap('The data access names no data scope.'),
  ungoverned: gap('The check is ungoverned: no rule and no list of the profile applied to it.'),
  undecided: gap('An approval was requested, and nobody decided about it in time.'),
  tooFew: gap('An approval was requested, and too few people approved it in time.'),
  prevented: {
    status: 'Prevented',
    statusReason: 'The check was refused, and no execution was reported.',
  },
  satisfied: { status: 'Satisfied', statusReason: null },
} as const satisfies Record<string, StatusVerdict>;

/** The status table of `FORMAT.md`: the first rule that matches. */
export function eventStatus(facts: StatusFacts): StatusVerdict {
  const { event, referred } = facts;
  if (!facts.holds) return STATUS_VERDICTS.unproven;
  if (event.type === 'action.unanswered') return STATUS_VERDICTS.unanswered;
  if (event.type === 'action.outcome') {
    const executed = isExecution(event.outcome) && referred !== null && isRefusal(referred);
    return executed ? STATUS_VERDICTS.execution : STATUS_VERDICTS.satisfied;
  }
  if (event.type === 'approval.expired' && event.outcome === 'undecided') return STATUS_VERDICTS.undecided;
  if (event.type === 'approval.expired' && event.outcome === 'too_few') return STATUS_VERDICTS.tooFew;
  if (event.type !== 'action.checked') return STATUS_VERDICTS.satisfied;
  if (event.allowed === true && event.violation_type !== null) return STATUS_VERDICTS.observed;
  if (isRefusal(event) && facts.reported.some(isExecution)) return STATUS_VERDICTS.executed;
  if (facts.unanswered) return STATUS_VERDICTS.unanswered;
  if (event.actionKind === 'data_access' && !facts.dataScope) return STATUS_VERDICTS.scopeless;
  if (event.allowed === true && event.coverage?.length === 0) return STATUS_VERDICTS.ungoverned;
  return isRefusal(event) ? STATUS_VERDICTS.prevented : STATUS_VERDICTS.satisfied;
}

/** Denied, frozen, or refused by plan. */
export function isRefusal(event: LeafEvent): boolean {
  return event.type === 'action.checked' && event.allowed === false;
}

function isExecution(outcome: LeafEvent['outcome']): boolean {
  return outcome === 'succeeded' || outcome === 'failed';
}

/** Reports whether the value that an action commitment opens to names a data scope. */
export function namesDataScope(action: unknown): boolean {
  if (typeof action !== 'object' || action === null) return false;
  const scope = (action as { readonly dataScope?: unknown }).dataScope;
  return typeof scope === 'string' && scope !== '';
}
