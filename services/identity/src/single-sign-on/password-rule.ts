import type { Config } from '@countersign/process';
import { HttpRefusal } from '@countersign/http-edge';
import type { User } from '../domain/members.js';

type Rule = Pick<Config['singleSignOn'] & object, 'issuer' | 'accountId' | 'refusesPasswords' | 'label'> | null;
type Judged = Pick<User, 'accountId' | 'subject' | 'passwordKept'>;

/**
 * True for a user who signs in at the provider only: one who has signed in there, or any of the account that the provider is
 * for. A password by a link of the operator stays usable until the next sign-in at the provider.
 */
export function passwordsAreRefused({ accountId, subject, passwordKept }: Judged, rule: Rule): boolean {
  if (rule === null || !rule.refusesPasswords || passwordKept === true) return false;
  return subject?.issuer === rule.issuer || accountId === rule.accountId;
}

/** The refusal of a password or of a link that sets one. */
export function passwordRefused(status: 403 | 409, rule: Rule): HttpRefusal {
  const way = `sign in with ${rule?.label ?? 'the provider'}: GET /v1/auth/oidc/start`;
  const lost = 'if that is not possible, the operator runs `countersign admin user EMAIL`';
  return new HttpRefusal(status, `passwords are refused for this user: ${way}; ${lost}`);
}
