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
  'account.report_issued': true,
  'account.report_published': true,
  'account.report_unpublished': true,
  'account.report_withdrawn': true,
  'account.report_series_issued': true,
  'account.report_shared': true,
  'account.report_share_revoked': true,
  'account.compliance_scope_changed': true,
  'account.alert_destination_created': true,
  'account.alert_destination_changed': true,
  'account.alert_destination_removed': true,
  'account.alert_destination_tested': true,
  'account.alert_sent_again': true,
  'account.stream_created': true,
  'account.stream_changed': true,
  'account.stream_removed': true,
  'account.stream_tested': true,
  'account.alerts_acknowledged': true,
  'account.alert_followed_up': true,
  'account.legal_hold_placed': true,
  'account.legal_hold_released': true,
} satisfies Record<AccountEventType, true>);

/** Includes types of a later release. */
export function isAccountEvent(type: string): boolean {
  return type.startsWith('account.');
}

/** Returns true for the id that stands in the place of an agent's in the events of people: a UUID of version 8. */
export function isAccountStream(agentId: string): boolean {
  return agentId[14] === '8';
}
