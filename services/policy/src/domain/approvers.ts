import type { Role } from '@countersign/contracts';
import type { Approval } from './approval.js';

/** A person with a session. */
export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
}

/** People who cannot decide where the rule says so, by the ids of their users; `null`: not known. */
export interface Involved {
  /** Who issued the API key of the check. */
  readonly keyIssuer: string | null;
  /** Who changed the profile last. */
  readonly policyEditor: string | null;
}

/** Where a rule names no approvers: the roles that may change the profile. */
const DEFAULT_ROLES: readonly string[] = ['admin', 'member'];

/** The rule names the person or the person's role as an approver. */
export function isApprover({ approvers }: Pick<Approval, 'approvers'>, person: Person): boolean {
  const { roles, users } = approvers ?? {};
  if (roles === undefined && users === undefined) return DEFAULT_ROLES.includes(person.role);
  return (roles ?? []).includes(person.role) || (users ?? []).some((name) => names(name, person));
}

/** The action of an approval is shown to those who could decide, and to auditors. */
export function mayRead(approval: Pick<Approval, 'approvers'>, person: Person): boolean {
  return person.role === 'auditor' || isApprover(approval, person);
}

/** Why the person may not decide, whatever the state of the approval; `null`: the person may. */
export function whyNot(
  approval: Pick<Approval, 'approvers' | 'requester' | 'decisions'>,
  person: Person,
  { keyIssuer, policyEditor }: Involved,
): string | null {
  const { approvers = {}, requester, decisions } = approval;
  if (person.role === 'auditor') return 'auditors read, and do not decide';
  if (!isApprover(approval, person)) return 'the rule does not name you or your role as an approver';
  if (approvers.not_requester === true) {
    const isPrincipal = requester.principal !== undefined && names(requester.principal, person);
    if (isPrincipal || keyIssuer === person.userId) {
      return 'you are the requester: you issued the API key of the check, or it acts on your behalf';
    }
    if (keyIssuer === null) return 'who issued the API key of the check is not known: issue another key for the agent';
  }
  if (approvers.not_policy_editor === true) {
    if (policyEditor === person.userId) return 'you changed the profile of the agent last: another person decides';
    if (policyEditor === null) return 'who changed the profile last is not known: have another person save it again';
  }
  if (decisions.some(({ userId }) => userId === person.userId))
    return 'you have decided about this: another person does';
  return null;
}

/** A user id or an e-mail address, in any case, that is the person's. */
function names(text: string, { userId, email }: Person): boolean {
  const name = text.trim().toLowerCase();
  return name === userId.toLowerCase() || name === email.toLowerCase();
}
