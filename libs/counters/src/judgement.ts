import type { CheckTrip, Judgement, StaticViolation } from './port.js';

/**
 * Reports whether a denial says how the action can be allowed: by an approval, in another form, or later. It freezes no
 * agent. A rule that proposes another form, and has none for this action, is a denial like any other.
 */
export function isConditional(violation: StaticViolation | null): boolean {
  if (violation?.violation_type === 'approval_required') return true;
  return violation?.extras?.decision !== undefined && violation.extras.next_action !== 'none';
}

/** The part of a trip that a judgement contains. */
export type JudgedFacts = Pick<
  CheckTrip,
  'entropy' | 'actionSalt' | 'payloadSalt' | 'carried' | 'versions' | 'costMicros' | 'rate' | 'freezeOnViolation'
>;

/** A judgement to which balances and counts can be added. A spread would cost several times as much as a check. */
export type OpenJudgement = { -readonly [K in keyof Judgement]: Judgement[K] };

/** The judgement of a trip by outcome and violation: a refusal and a denial cost nothing. */
export function judgementOf(
  facts: JudgedFacts,
  nowMs: number,
  outcome: Judgement['outcome'],
  violation: StaticViolation | null,
): OpenJudgement {
  const allowed = outcome === 'allowed';
  const judgement: OpenJudgement = {
    nowMs,
    entropy: facts.entropy,
    actionSalt: facts.actionSalt,
    payloadSalt: facts.payloadSalt,
    versions: facts.versions,
    outcome,
    violation,
    costMicros: allowed ? facts.costMicros : 0,
    countsAction: allowed || outcome === 'denied',
    countsRate: allowed && facts.rate !== null,
    freezesAgent: outcome === 'denied' && facts.freezeOnViolation && !isConditional(violation),
  };
  if (facts.carried !== undefined) judgement.carried = facts.carried;
  return judgement;
}
