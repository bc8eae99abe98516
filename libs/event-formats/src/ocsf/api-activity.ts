import type { CheckOutcome, LeafEvent, ReportedOutcome } from '@countersign/contracts';
import { actionText, activityOf, type FormattedEvent } from '../formatted-event.js';
import { commonAttributes, given, type Activity, type OcsfEvent } from './common-attributes.js';

const APPLICATION_ACTIVITY = 6;
const API_ACTIVITY = 6003;
const SUCCESS = [1, 'Success'] as const;
const FAILURE = [2, 'Failure'] as const;

/** Action and disposition of the control (profile Security Control): [action, disposition], each with its caption. */
type Control = readonly [actionId: number, action: string, dispositionId: number, disposition: string];

const ALLOWED: Control = [1, 'Allowed', 1, 'Allowed'];
/** Observe mode let a violation pass. */
const DETECTED: Control = [3, 'Observed', 15, 'Detected'];
const BLOCKED: Control = [2, 'Denied', 2, 'Blocked'];
/** Refused before a policy was asked: the agent is frozen, or its plan is used up. */
const REJECTED: Control = [2, 'Denied', 25, 'Rejected'];
const LOGGED: Control = [3, 'Observed', 17, 'Logged'];
const FAILED: Control = [99, 'unanswered', 27, 'Error'];

const CHECKED: ReadonlyMap<string, Control> = new Map<CheckOutcome, Control>([
  ['allowed', ALLOWED],
  ['denied', BLOCKED],
  ['frozen', REJECTED],
  ['sandbox_expired', REJECTED],
  ['action_cap', REJECTED],
]);
const REPORTED: ReadonlyMap<string, Activity['status']> = new Map<ReportedOutcome, Activity['status']>([
  ['succeeded', SUCCESS],
  ['failed', FAILURE],
]);

/**
 * API Activity (6003) with the profiles Security Control and AI Operation: an agent asks for an action, the control
 * answers. Whether the action would create, read, update or delete is not known, so the activity is `Other` by its own
 * name.
 */
export function apiActivity(event: FormattedEvent, accountId: string): OcsfEvent {
  const { leaf } = event;
  const { status, control } = seen(leaf);
  const [actionId, action, dispositionId, disposition] = control;
  return {
    ...commonAttributes(event, accountId, {
      categoryUid: APPLICATION_ACTIVITY,
      classUid: API_ACTIVITY,
      activity: [99, activityOf(leaf.type)],
      status,
      profiles: ['security_control', 'ai_operation'],
    }),
    action_id: actionId,
    action,
    disposition_id: dispositionId,
    disposition,
    ...(leaf.violation_type === null ? {} : { is_alert: true }),
    actor: { app_uid: leaf.agentId },
    ai_agent: { uid: leaf.agentId },
    src_endpoint: { uid: leaf.agentId, type_id: 99, type: 'AI agent' },
    ...asked(event),
    ...authorizations(leaf),
  };
}

function seen(leaf: LeafEvent): { readonly status: Activity['status']; readonly control: Control } {
  switch (leaf.type) {
    case 'action.checked': {
      // A later release may add outcomes.
      const control = CHECKED.get(leaf.outcome ?? '') ?? LOGGED;
      return {
        status: leaf.allowed === true ? SUCCESS : FAILURE,
        control: control === ALLOWED && leaf.violation_type !== null ? DETECTED : control,
      };
    }
    case 'action.outcome':
      return { status: REPORTED.get(leaf.outcome ?? '') ?? [99, leaf.outcome ?? 'other'], control: LOGGED };
    default:
      return { status: [0, 'Unknown'], control: FAILED };
  }
}

/** The call that the agent asked for: by the caller's own words while they are kept, by its kind always. */
function asked(event: FormattedEvent): { readonly api: unknown; readonly resources?: unknown } {
  const { leaf } = event;
  const text = (name: string): string | null => actionText(event, name);
  const resources = [
    ...resource('URL', text('url')),
    ...resource('tool', text('tool_name')),
    ...resource('data scope', text('dataScope')),
  ];
  return {
    api: {
      operation: text('type') ?? leaf.actionKind ?? leaf.type,
      request: { uid: leaf.refersTo ?? leaf.eventId },
      ...(leaf.violation_type === null
        ? {}
        : { response: { error: leaf.violation_type, ...given('error_message', leaf.reason) } }),
    },
    ...(resources.length === 0 ? {} : { resources }),
  };
}

function resource(type: string, name: string | null): readonly { readonly type: string; readonly name: string }[] {
  return name === null ? [] : [{ type, name }];
}

/** The decision and the version of the profile that it was made by. */
function authorizations(leaf: LeafEvent): { readonly authorizations?: unknown } {
  const { type, allowed, profileSha256, profileVersion, rule } = leaf;
  if (type !== 'action.checked' || profileSha256 === null) return {};
  const policy = {
    name: 'behavior profile',
    uid: profileSha256,
    ...given('version', profileVersion === null ? null : String(profileVersion)),
    ...given('desc', rule),
  };
  return { authorizations: [{ decision: allowed === true ? 'allowed' : 'denied', policy }] };
}
