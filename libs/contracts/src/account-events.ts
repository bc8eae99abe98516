/**
 * Events of the account itself, of what its people did. They are leaves of version 2 in one stream of the account, in
 * which they have sequences, windows and proofs as the events of an agent have.
 */
export const ACCOUNT_EVENT_TYPES = [
  'account.sign_in',
  'account.sign_out',
  'account.user_created',
  'account.user_changed',
  'account.user_removed',
  'account.password_changed',
  'account.password_link_made',
  'account.key_created',
  'account.key_revoked',
  'account.plan_changed',
  'account.default_profile_changed',
  'account.issuers_changed',
  'account.second_factor_rule_changed',
  'account.report_issued',
  'account.report_published',
  'account.report_unpublished',
  'account.report_withdrawn',
  'account.report_series_issued',
  'account.report_shared',
  'account.report_share_revoked',
  'account.compliance_scope_changed',
  'account.alert_destination_created',
  'account.alert_destination_changed',
  'account.alert_destination_removed',
  'account.alert_destination_tested',
  'account.alert_sent_again',
  'account.stream_created',
  'account.stream_changed',
  'account.stream_removed',
  'account.stream_tested',
  'account.alerts_acknowledged',
  'account.alert_followed_up',
  'account.legal_hold_placed',
  'account.legal_hold_released',
] as const;
export type AccountEventType = (typeof ACCOUNT_EVENT_TYPES)[number];

/** Begin of every such type, also of those that a later release adds. */
export const ACCOUNT_EVENTS = 'account.';

const VERSION_DIGIT = 14;

/**
 * Id in the place of an agent's in the events of an account itself: the account's id as a UUID of version 8. Agents have
 * ids of version 4, so that it is the id of none.
 * @param accountId UUID, in lower case
 */
export function accountStream(accountId: string): string {
  return `${accountId.slice(0, VERSION_DIGIT)}8${accountId.slice(VERSION_DIGIT + 1)}`;
}

/** True for the id of an account's own stream. */
export function isAccountStream(agentId: string): boolean {
  return agentId[VERSION_DIGIT] === '8';
}

/** Who did it. `unknown`: a caller whose sign-in failed. */
export type AccountActor =
  { readonly kind: 'user'; readonly id: string } | { readonly kind: 'operator' | 'system' | 'unknown' };

/** The pseudonym in `detail` of the leaf: it stays when the content is erased. */
export function actorText(by: AccountActor): string {
  return by.kind === 'user' ? `user:${by.id}` : by.kind;
}
