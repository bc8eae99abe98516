import type { JsonValue, Severity } from '@countersign/contracts';
import { messageOf, shownAction, type FormattedEvent } from '../formatted-event.js';

const OCSF_VERSION = '1.9.0';

/** An event of one of OCSF's classes; `ocsf-schema/` holds the schemas of those that are written here. */
export interface OcsfEvent {
  readonly class_uid: number;
  readonly type_uid: number;
  readonly metadata: { readonly uid: string; readonly [attribute: string]: unknown };
  readonly [attribute: string]: unknown;
}

/** A number of OCSF's dictionary and its caption. */
type Term = readonly [id: number, caption: string];

const INFORMATIONAL: Term = [1, 'Informational'];
const SEVERITIES: Readonly<Record<Severity, Term>> = { P1: [4, 'High'], P2: [3, 'Medium'], P3: [2, 'Low'] };

export interface Activity {
  readonly categoryUid: number;
  readonly classUid: number;
  readonly activity: Term;
  readonly status: Term;
  /** Of OCSF, besides Record Integrity. */
  readonly profiles: readonly string[];
}

/**
 * Members that all classes share. `unmapped` holds what OCSF has no attribute for, under the names of `GET /v1/events`;
 * `action` in it is the committed value, `null` once it is erased or where it was not kept.
 */
export function commonAttributes(
  event: FormattedEvent,
  accountId: string,
  { categoryUid, classUid, activity, status, profiles }: Activity,
): OcsfEvent {
  const { leaf, sequence } = event;
  const [severityId, severity] = leaf.severity === null ? INFORMATIONAL : SEVERITIES[leaf.severity];
  const [activityId, activityName] = activity;
  const [statusId, statusName] = status;
  return {
    category_uid: categoryUid,
    class_uid: classUid,
    activity_id: activityId,
    activity_name: activityName,
    type_uid: classUid * 100 + activityId,
    time: Date.parse(leaf.occurredAt),
    severity_id: severityId,
    severity,
    status_id: statusId,
    status: statusName,
    ...given('status_code', leaf.outcome),
    ...given('status_detail', leaf.reason),
    message: messageOf(leaf),
    metadata: {
      version: OCSF_VERSION,
      product: { name: 'Countersign', vendor_name: 'Countersign' },
      profiles: [...profiles, 'record_integrity'],
      uid: leaf.eventId,
      event_code: leaf.type,
      original_time: leaf.occurredAt,
      sequence,
      tenant_uid: accountId,
      ...given('correlation_uid', leaf.refersTo),
    },
    unmapped: unmapped(event),
  };
}

/** The attribute, or nothing: OCSF's attributes are absent where they do not apply, never null. */
export function given<Name extends string, Value>(
  name: Name,
  value: Value | null,
): { readonly [name in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { readonly [name in Name]?: Value };
}

function unmapped({ leaf, openings, anchored }: FormattedEvent): Readonly<Record<string, JsonValue>> {
  return {
    agentId: leaf.agentId,
    refersTo: leaf.refersTo,
    violation_type: leaf.violation_type,
    rule: leaf.rule,
    detail: leaf.detail,
    actionKind: leaf.actionKind,
    action: shownAction(leaf, openings) as JsonValue,
    payloadSha256: leaf.payload,
    profileVersion: leaf.profileVersion,
    profileSha256: leaf.profileSha256,
    ...(anchored === undefined ? {} : { anchored }),
  };
}
