import type { CheckAnswer, EvaluationSemantic } from '@countersign/contracts';
import type { Outcome } from '../check/parsed-checks.js';

/** An outcome of a check, with the decision as AuthZEN has it. `denied`: there was no check, and nothing is recorded. */
export type Evaluated =
  | (Extract<Outcome, { kind: 'decided' }> & { readonly decision: Decision })
  | Exclude<Outcome, { kind: 'decided' }>
  | { readonly kind: 'denied'; readonly decision: Decision };

/**
 * Denial of a client that acts as no agent. The same for one of an agent that the API key is not valid for: a key that is
 * limited learns nothing of other agents.
 */
export const UNKNOWN_CLIENT: Decision = {
  decision: false,
  context: {
    code: 'unknown_client',
    reason:
      'context.agent is the OAuth client id of no agent that is active or frozen and that this API key is valid for. Nothing is recorded: an event belongs to an agent',
  },
};

/** AuthZEN Authorization API 1.0, section 6. */
export interface Decision {
  readonly decision: boolean;
  readonly context: { readonly [member: string]: unknown };
}

/** The recorded decision; refusals by plan or freeze are denials. */
export function decisionOf({ body, eventId, coverage, status, wouldDeny }: CheckAnswer): Decision {
  const { allowed, ...words } = JSON.parse(body) as { allowed?: unknown };
  return {
    decision: status === 200 && allowed === true,
    context: {
      event_id: eventId,
      ...(coverage === null ? {} : { policy_coverage: coverage }),
      ...(wouldDeny === null ? {} : { would_deny: wouldDeny }),
      ...words,
    },
  };
}

/** Not decided: closed. */
export function undecided({ code, reason, eventId }: Extract<Outcome, { kind: 'undecided' }>): Decision {
  return { decision: false, context: { reason, code, ...(eventId === null ? {} : { event_id: eventId }) } };
}

/** As one of several: the context of an undecided one says so (section 7). */
export function itemOf(outcome: Evaluated): Decision {
  switch (outcome.kind) {
    case 'decided':
    case 'denied':
      return outcome.decision;
    case 'refused':
      return { decision: false, context: { error: { status: outcome.status, message: outcome.error } } };
    case 'undecided': {
      const { context } = undecided(outcome);
      return { decision: false, context: { ...context, error: { status: 503, message: outcome.reason } } };
    }
  }
}

/** True if the evaluations after this one are not made (section 7). */
export function endsAt(decision: boolean, semantic: EvaluationSemantic): boolean {
  return semantic === 'deny_on_first_deny' ? !decision : semantic === 'permit_on_first_permit' && decision;
}
