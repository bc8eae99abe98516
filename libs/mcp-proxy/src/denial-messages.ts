import type { CheckResult } from '@countersign/client';

const ASK = 'Do not try to get around this: choose an action that the policy allows, or ask the user.';

/** Advice if no policy decided, by the first of `violations`. */
const INSTEAD: Readonly<Record<string, string>> = {
  unauthorized: 'Ask the user to set COUNTERSIGN_API_KEY to a key that is valid.',
  agent_not_found: 'Ask the user to set COUNTERSIGN_AGENT_ID to an active agent of the key’s account.',
  not_countersign: 'Ask the user to set COUNTERSIGN_BASE_URL to the address of Countersign, without a path.',
  agent_frozen: 'The agent stays frozen until a person ends the freeze: stop, and tell the user.',
  sandbox_expired: 'Ask the user to change the plan.',
  sandbox_action_cap: 'Ask the user to change the plan.',
  plan_action_cap: 'Ask the user to change the plan, or to wait for the next period.',
  invalid_request: 'Change the action as the reason says.',
};

/** Explains to a model and its user why an action is denied and what to do instead, in one paragraph. */
export function denialMessage(result: CheckResult, baseUrl: string): string {
  const { reason = 'it gave no reason', rule, eventId, error, violations = [] } = result;
  if (error?.isUnavailable === true) {
    return (
      `Countersign did not decide whether this is allowed, so it is not: ${sentence(error.message)} ` +
      `Ask the user whether Countersign runs at ${baseUrl}, and try again once it does.`
    );
  }
  const known = [rule === undefined ? null : `rule ${rule}`, eventId === undefined ? null : `event ${eventId}`];
  const which = known.filter((part) => part !== null).join(', ');
  const instead = INSTEAD[violations[0] ?? ''] ?? otherForm(result) ?? ASK;
  return `Countersign denied this: ${sentence(reason)}${which === '' ? '' : ` (${which})`} ${instead}`;
}

/** The change after which the action can be allowed, or what it waits for; `null`: neither. */
function otherForm({ patch, missing, retryAfterMs }: CheckResult): string | null {
  if (patch !== undefined) {
    return `It can be allowed in another form: make the changes of this JSON Patch (payload is the arguments of the tool), and call it again: ${JSON.stringify(patch)}`;
  }
  if (missing === undefined) return null;
  const seconds = Math.ceil((retryAfterMs ?? 1000) / 1000);
  return `It waits for: ${missing.join(', ')}. Provide that, and call it again after ${seconds} seconds; do not try to get around this.`;
}

/** Explains why no check was sent. */
export function uncheckedMessage(why: string): string {
  return `Countersign was not asked, so this is not allowed: ${sentence(why)}`;
}

function sentence(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
