import type { AccountEventType } from '@countersign/contracts';

/** Types of the events of people. */
export const ACCOUNT_EVENT_TYPES = Object.keys({
  'account.sign_in': true,
  'account.sign_out': true,
  'account.user_created': true,
  'account.user_changed': true,
  'account.user_removed': true,
  'account.password_changed': true,
  'account.password_link_made': true,
  'account.key_created': true,
  'account.key_revoked': true,
  'account.plan_changed': true,
  'account.default_profile_changed': true,
  'account.issuers_changed': true,
  'account.second_factor_rule_changed': true,
} satisfies Record<AccountEventType, true>);

/** Includes types of a later release. */
export function isAccountEvent(type: string): boolean {
  return type.startsWith('account.');
}

/** Returns true for the id that stands in the place of an agent's in the events of people: a UUID of version 8. */
export function isAccountStream(agentId: string): boolean {
  return agentId[14] === '8';
}
