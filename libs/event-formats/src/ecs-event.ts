import type { JsonValue, LeafEvent, Severity } from '@countersign/contracts';
import { accountEventFacts, isAccountEvent } from './account-event.js';
import { actionText, isAboutAction, messageOf, shownAction, type FormattedEvent } from './formatted-event.js';

const ECS_VERSION = '8.17.0';
const SEVERITIES: Readonly<Record<Severity, number>> = { P1: 73, P2: 47, P3: 21 };
const LEAST_SEVERITY = 0;

/** Types of changes by the category `configuration`; any other is a change. */
const CHANGES: ReadonlyMap<string, string> = new Map([
  ['agent.created', 'creation'],
  ['agent.registered', 'creation'],
  ['agent.deactivated', 'deletion'],
  ['content.erased', 'deletion'],
  ['retention.applied', 'deletion'],
  ['account.key_created', 'creation'],
  ['account.key_revoked', 'deletion'],
  ['account.report_issued', 'creation'],
  ['account.report_withdrawn', 'deletion'],
  ['account.report_series_issued', 'creation'],
  ['account.report_shared', 'creation'],
  ['account.report_share_revoked', 'deletion'],
  ['account.alert_destination_created', 'creation'],
  ['account.alert_destination_removed', 'deletion'],
  ['account.stream_created', 'creation'],
  ['account.stream_removed', 'deletion'],
  ['account.alert_destination_tested', 'info'],
  ['account.stream_tested', 'info'],
]);

/** Events of sessions and users by the categories `authentication` and `iam`. */
const PEOPLE: ReadonlyMap<string, readonly [category: string, types: readonly string[]]> = new Map([
  ['account.sign_in', ['authentication', ['start']]],
  ['account.sign_out', ['authentication', ['end']]],
  ['account.user_created', ['iam', ['user', 'creation']]],
  ['account.user_changed', ['iam', ['user', 'change']]],
  ['account.user_removed', ['iam', ['user', 'deletion']]],
  ['account.password_changed', ['iam', ['user', 'change']]],
  ['account.password_link_made', ['iam', ['user', 'change']]],
] as const);

/**
 * The event by the Elastic Common Schema 8.17, with `event.id` as its key. Members that ECS does not have are in
 * `countersign`; content is one text there, so that no index gets a field for each member of an action.
 */
export function ecsEvent(event: FormattedEvent, accountId: string): Readonly<Record<string, unknown>> {
  const { leaf, openings, sequence } = event;
  const action = shownAction(leaf, openings) as JsonValue;
  const url = actionText(event, 'url');
  return {
    '@timestamp': leaf.occurredAt,
    ecs: { version: ECS_VERSION },
    message: messageOf(leaf),
    event: {
      id: leaf.eventId,
      kind: leaf.violation_type === null ? 'event' : 'alert',
      category: [PEOPLE.get(leaf.type)?.[0] ?? (isAboutAction(leaf.type) ? 'api' : 'configuration')],
      type: typesOf(leaf),
      action: leaf.type,
      outcome: outcomeOf(leaf),
      severity: leaf.severity === null ? LEAST_SEVERITY : SEVERITIES[leaf.severity],
      sequence,
      provider: 'countersign',
      dataset: 'countersign.event',
      ...given('reason', leaf.reason),
    },
    observer: { vendor: 'Countersign', product: 'Countersign', type: 'policy' },
    organization: { id: accountId },
    ...peopleOf(event),
    ...(leaf.rule === null ? {} : { rule: { name: leaf.rule, ...given('category', leaf.violation_type) } }),
    ...(url === null ? {} : { url: { original: url } }),
    countersign: {
      agent_id: leaf.agentId,
      ...given('refers_to', leaf.refersTo),
      ...given('outcome', leaf.outcome),
      ...given('allowed', leaf.allowed),
      ...given('severity', leaf.severity),
      ...given('violation_type', leaf.violation_type),
      ...given('detail', leaf.detail),
      ...given('action_kind', leaf.actionKind),
      ...given('tool_name', actionText(event, 'tool_name')),
      ...given('action', action === null ? null : JSON.stringify(action)),
      ...given('action_sha256', leaf.action),
      ...given('payload_sha256', leaf.payload),
      ...given('profile_version', leaf.profileVersion),
      ...given('profile_sha256', leaf.profileSha256),
    },
  };
}

/** The user whom an event of an account is about, and the address that it came from. */
function peopleOf(event: FormattedEvent): Readonly<Record<string, unknown>> {
  if (!isAccountEvent(event.leaf.type)) return {};
  const { userId, email, address } = accountEventFacts(event);
  const user = { ...given('id', userId), ...given('email', email) };
  return {
    ...(userId === null && email === null ? {} : { user }),
    ...(address === null ? {} : { source: { ip: address } }),
  };
}

function typesOf({ type, allowed }: LeafEvent): readonly string[] {
  if (type === 'action.checked') return ['access', allowed === true ? 'allowed' : 'denied'];
  if (isAboutAction(type)) return ['info'];
  const people = PEOPLE.get(type);
  if (people !== undefined) return people[1];
  return [CHANGES.get(type) ?? 'change'];
}

function outcomeOf({ type, outcome, allowed }: LeafEvent): 'success' | 'failure' | 'unknown' {
  if (type === 'action.checked') return allowed === true ? 'success' : 'failure';
  if (isAccountEvent(type)) return outcome === 'failed' ? 'failure' : 'success';
  if (!isAboutAction(type)) return 'success';
  if (outcome === 'succeeded') return 'success';
  return outcome === 'failed' ? 'failure' : 'unknown';
}

/** The member, or nothing: a field that does not apply is absent. */
function given(name: string, value: JsonValue): Readonly<Record<string, JsonValue>> {
  return value === null ? {} : { [name]: value };
}
