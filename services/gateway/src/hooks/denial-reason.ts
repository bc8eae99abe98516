import type { AnswerExtras, CheckAnswer } from '@countersign/contracts';

interface DenialBody extends Pick<AnswerExtras, 'code' | 'patch' | 'missing' | 'retry_after'> {
  readonly reason?: string;
  readonly rule?: string;
  readonly violation_type?: string;
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
  const reason = `${begins}: ${sentence(said.reason ?? 'no reason was given')} (${rule}event ${eventId}) ${adviceOf(said)}`;
  return { allowed: false, needsApproval, reason };
}

/** The change after which the action can be allowed, what it waits for, or neither. */
function adviceOf({ patch, missing, retry_after: seconds }: DenialBody): string {
  if (patch !== undefined) {
    return `It can be allowed in another form: make the changes of this JSON Patch (payload is the input of the tool), and call it again: ${JSON.stringify(patch)}`;
  }
  if (missing === undefined) return INSTEAD;
  return `It waits for: ${missing.join(', ')}. Provide that, and call it again after ${seconds ?? 1} seconds; do not try to get around this.`;
}

function sentence(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
