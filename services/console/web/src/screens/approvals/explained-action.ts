import { memberOf } from './member-of.js';

/** An action to explain in place of a check, and what the explanation of it leaves out. */
export interface ExplainedAction {
  readonly action: object;
  /**
   * `session`: a session that came by header is not known. `token`: issuer and actors of a token, which an action cannot
   * name. `null`: nothing is left out.
   */
  readonly leftOut: 'session' | 'token' | null;
}

/**
 * The action of a check with the principal and session of the check in its `metadata`: an explanation reads them there
 * alone, while a check may have had them by header or token, which go before its metadata.
 * @param context of the recorded check, with principal, session and issuer where it had them; `undefined`: not known
 * @param principal of the request, which is known without a context; `null`: it had none
 */
export function explainedAction(action: object, context: unknown, principal: string | null): ExplainedAction {
  const isKnown = typeof context === 'object' && context !== null;
  const who = {
    ...textMember('principal', isKnown ? memberOf(context, 'principal') : principal),
    ...textMember('session', memberOf(context, 'session')),
  };
  const metadata = memberOf(action, 'metadata');
  const named = typeof metadata === 'object' ? metadata : {};
  return {
    action: Object.keys(who).length === 0 ? action : { ...action, metadata: { ...named, ...who } },
    leftOut: isKnown ? (memberOf(context, 'issuer') === undefined ? null : 'token') : 'session',
  };
}

function textMember(name: 'principal' | 'session', value: unknown): Readonly<Record<string, string>> {
  return typeof value === 'string' ? { [name]: value } : {};
}
