import { memberOf } from './member-of.js';

/** The session that an action names in its `metadata`; `null`: none. One that only a header or token named is not in the action. */
export function sessionOf(action: unknown): string | null {
  const session = memberOf(memberOf(action, 'metadata'), 'session');
  return typeof session === 'string' && session !== '' ? session : null;
}
