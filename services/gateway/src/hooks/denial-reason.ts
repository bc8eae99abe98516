import type { CheckAnswer } from '@countersign/contracts';

interface DenialBody {
  readonly reason?: string;
  readonly rule?: string;
  readonly violation_type?: string;
  readonly code?: string;
}

const INSTEAD = 'Do not try to get around this: choose an action that the policy allows, or ask the user.';

/** An answered check in the words that a model and its user read. */
export interface Verdict {
  readonly allowed: boolean;
  /** A person may approve it. */
  readonly needsApproval: boolean;
  /** Of a denial, with its rule and event; never content of the action. */
  readonly reason: string;
}

export function verdictOf({ status, body, eventId }: CheckAnswer): Verdict {
  const said = JSON.parse(body) as DenialBody & { readonly allowed?: unknown };
  if (status === 200 && said.allowed === true) return { allowed: true, needsApproval: false, reason: '' };
  // What a person has denied, or what cannot be asked for, is no question for the user of the tool.
  const needsApproval = said.violation_type === 'approval_required' && said.code === 'approval_pending';
  const begins = needsApproval ? 'Countersign requires an approval for this' : 'Countersign denied this';
  // The reasons of most rules name them.
  const rule = said.rule === undefined || said.reason?.includes('(rule ') === true ? '' : `rule ${said.rule}, `;
  const reason = `${begins}: ${sentence(said.reason ?? 'no reason was given')} (${rule}event ${eventId}) ${INSTEAD}`;
  return { allowed: false, needsApproval, reason };
}

function sentence(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
