import type { LeafEvent } from '@countersign/contracts';
import { accountEventFacts, type AccountEventFacts } from '../account-event.js';
import type { FormattedEvent } from '../formatted-event.js';
import { commonAttributes, given, type Activity, type OcsfEvent } from './common-attributes.js';

const IDENTITY_AND_ACCESS = 3;
const ACCOUNT_CHANGE = 3001;
const AUTHENTICATION = 3002;
const ENTITY_MANAGEMENT = 3004;
const SUCCESS = [1, 'Success'] as const;
const FAILURE = [2, 'Failure'] as const;

type Activities = Readonly<Record<string, Activity['activity'] | undefined>>;

const SESSIONS: Activities = {
  'account.sign_in': [1, 'Logon'],
  'account.sign_out': [2, 'Logoff'],
};
const USERS: Activities = {
  'account.user_created': [1, 'Create'],
  'account.user_changed': [99, 'account.user_changed'],
  'account.user_removed': [6, 'Delete'],
  'account.password_changed': [3, 'Password Change'],
  'account.password_link_made': [4, 'Password Reset'],
};
/** Everything else of an account; a type that is not listed is `Other` by its own name. */
const ENTITIES: Activities = {
  'account.key_created': [1, 'Create'],
  'account.key_revoked': [4, 'Delete'],
  'account.plan_changed': [3, 'Update'],
  'account.default_profile_changed': [3, 'Update'],
  'account.issuers_changed': [3, 'Update'],
  'account.second_factor_rule_changed': [3, 'Update'],
  'account.report_issued': [1, 'Create'],
  'account.report_published': [3, 'Update'],
  'account.report_unpublished': [3, 'Update'],
  'account.report_withdrawn': [4, 'Delete'],
  'account.report_series_issued': [1, 'Create'],
  'account.report_shared': [1, 'Create'],
  'account.report_share_revoked': [4, 'Delete'],
  'account.compliance_scope_changed': [3, 'Update'],
  'account.alert_destination_created': [1, 'Create'],
  'account.alert_destination_changed': [3, 'Update'],
  'account.alert_destination_removed': [4, 'Delete'],
  'account.alert_sent_again': [3, 'Update'],
  'account.stream_created': [1, 'Create'],
  'account.stream_changed': [3, 'Update'],
  'account.stream_removed': [4, 'Delete'],
  'account.alerts_acknowledged': [3, 'Update'],
  'account.alert_followed_up': [1, 'Create'],
  'account.legal_hold_placed': [1, 'Create'],
  'account.legal_hold_released': [3, 'Update'],
};

/**
 * Acts of the people of an account: Authentication (3002) for their sessions, Account Change (3001) for users, and Entity
 * Management (3004) for everything else.
 */
export function accountActivity(event: FormattedEvent, accountId: string): OcsfEvent {
  const { leaf } = event;
  const facts = accountEventFacts(event);
  const session = SESSIONS[leaf.type];
  if (session !== undefined) {
    return {
      ...written(event, accountId, AUTHENTICATION, session, facts),
      user: userOf(facts),
      service: { name: 'Countersign' },
    };
  }
  const change = USERS[leaf.type];
  if (change !== undefined) {
    return { ...written(event, accountId, ACCOUNT_CHANGE, change, facts), user: userOf(facts) };
  }
  const activity = ENTITIES[leaf.type] ?? ([99, leaf.type] as const);
  return {
    ...written(event, accountId, ENTITY_MANAGEMENT, activity, facts),
    entity: { type_id: 99, type: 'Account', uid: accountId },
  };
}

function written(
  event: FormattedEvent,
  accountId: string,
  classUid: number,
  activity: Activity['activity'],
  { actor, actorId, address, count }: AccountEventFacts,
): OcsfEvent {
  const status = statusOf(event.leaf);
  const profiles = ['security_control'];
  return {
    ...commonAttributes(event, accountId, { categoryUid: IDENTITY_AND_ACCESS, classUid, activity, status, profiles }),
    actor: actorId === null ? { app_name: actor } : { user: { uid: actorId } },
    ...given('src_endpoint', address === null ? null : { ip: address }),
    ...given('count', count),
  };
}

function statusOf({ outcome }: LeafEvent): Activity['status'] {
  return outcome === 'failed' ? FAILURE : SUCCESS;
}

function userOf({ userId, email, actor }: AccountEventFacts): unknown {
  if (userId === null && email === null) return { name: actor };
  return { ...given('uid', userId), ...given('name', email) };
}
