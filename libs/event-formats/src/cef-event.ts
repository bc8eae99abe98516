import type { JsonValue, Severity } from '@countersign/contracts';
import { accountEventFacts, isAccountEvent } from './account-event.js';
import { actionText, activityOf, messageOf, shownAction, type FormattedEvent } from './formatted-event.js';

/** The standard of 2017 gives each field a length; a longer value is cut, and the event in the archive is whole. */
const LONGEST = { short: 1023, custom: 4000 } as const;
const SEVERITIES: Readonly<Record<Severity, number>> = { P1: 9, P2: 6, P3: 4 };
const LEAST_SEVERITY = 1;

/**
 * The event in the Common Event Format (CEF:0), one line without its end; `externalId` is its key. Labels say what the
 * custom fields hold.
 */
export function cefEvent(event: FormattedEvent, accountId: string): string {
  const { leaf, openings, sequence } = event;
  const severity = leaf.severity === null ? LEAST_SEVERITY : SEVERITIES[leaf.severity];
  const head = ['Countersign', 'Countersign', '1', leaf.type, activityOf(leaf.type)].map(headText);
  const action = shownAction(leaf, openings) as JsonValue;
  const fields: readonly (readonly [name: string, value: string | number | null])[] = [
    ['rt', Date.parse(leaf.occurredAt)],
    ['externalId', leaf.eventId],
    ['cat', leaf.type],
    ['act', leaf.outcome],
    ['outcome', leaf.allowed === null ? null : leaf.allowed ? 'allowed' : 'refused'],
    ...subjectOf(event),
    ['reason', cut(leaf.reason, LONGEST.short)],
    ['request', cut(actionText(event, 'url'), LONGEST.short)],
    ['msg', cut(messageOf(leaf), LONGEST.short)],
    ['cn1', sequence],
    ['cn1Label', 'sequence'],
    ...custom(1, 'account', accountId),
    ...custom(2, 'violation', leaf.violation_type),
    ...custom(3, 'rule', leaf.rule),
    ...custom(4, 'detail', leaf.detail),
    ...custom(5, 'refersTo', leaf.refersTo),
    ...custom(6, 'action', action === null ? null : JSON.stringify(action)),
    ['fileHash', leaf.profileSha256],
  ];
  const extension = fields.flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${extensionText(String(value))}`],
  );
  return `CEF:0|${head.join('|')}|${severity}|${extension.join(' ')}`;
}

/** Who acted: the agent, or of an event of an account the user whom it is about and the address. */
function subjectOf(event: FormattedEvent): readonly (readonly [name: string, value: string | null])[] {
  if (!isAccountEvent(event.leaf.type)) return [['suid', event.leaf.agentId]];
  const { userId, email, address } = accountEventFacts(event);
  return [
    ['suid', userId],
    ['suser', cut(email, LONGEST.short)],
    ['src', address],
  ];
}

function custom(n: number, label: string, value: string | null): readonly (readonly [string, string])[] {
  if (value === null) return [];
  return [
    [`cs${n}`, cut(value, LONGEST.custom)],
    [`cs${n}Label`, label],
  ];
}

/** The first characters; a pair of surrogates is never parted. */
function cut<T extends string | null>(text: T, length: number): T {
  return text === null || text.length <= length ? text : (text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '') as T);
}

/** In the header `\` and `|` are escaped, and no line may end. */
function headText(text: string): string {
  return text.replace(/[\\|]/g, '\\$&').replace(LINE_ENDS, ' ');
}

/** In a value `\` and `=` are escaped, and line ends are written as `\n` and `\r`. */
function extensionText(text: string): string {
  return text.replace(/[\\=]/g, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n').replace(LINE_ENDS, ' ');
}

/** Control characters and what some readers take for the end of a line. */
const LINE_ENDS = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/g;
