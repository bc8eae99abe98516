import type { ActionKind } from '@countersign/contracts';
import { readUrl } from '../urls/read-url.js';
import type { ReadUrl } from '../urls/read-url.js';
import { fold, nearMiss, unreadMembers } from './members.js';
import type { RuledMember } from './members.js';

/** A check's `action` as received. Members of another type than a check may have are judged as if they named nothing allowed. */
export type Action = Readonly<Record<string, unknown>>;

/** What rules are judged by, read once from an action. */
export interface Subject {
  /** Names of members that no rule reads; looked for at the first call. */
  readonly unread: () => readonly string[];
  readonly type: string;
  readonly kind: ActionKind;
  /** As received; `undefined` when the action names none. */
  readonly url: unknown;
  readonly tool: string | null;
  /** The other spelling, `toolName`. */
  readonly other: string | null;
  readonly scope: string | null;
  /** `undefined` when there is none. */
  readonly payload: unknown;
  readonly cost: unknown;
}

const NOTHING: Action = {};

/** Total: what is no object is an action that names nothing. */
export function subjectOf(given: unknown): Subject {
  const action = typeof given === 'object' && given !== null ? (given as Action) : NOTHING;
  let unread: readonly string[] | undefined;
  return {
    unread: () => (unread ??= unreadMembers(action)),
    type: textOf(action['type']) ?? '',
    kind: kindOf(action['type']),
    url: action['url'],
    tool: textOf(action['tool_name']),
    other: textOf(action['toolName']),
    scope: textOf(action['dataScope']),
    payload: action['payload'],
    cost: action['estimatedCost'],
  };
}

export function namesApi({ url, tool, other }: Subject): boolean {
  return url !== undefined || tool !== null || other !== null;
}

/** Whether a rule of data scopes speaks of it. */
export function namesData(subject: Subject): boolean {
  return subject.scope !== null || isKind(subject, 'data_access');
}

/** `undefined` where no URL is named; a text says why it cannot be judged. */
export function urlOf({ url }: Subject): ReadUrl | string | undefined {
  if (url === undefined) return undefined;
  return typeof url === 'string' ? readUrl(url) : 'is not a string';
}

/** The name of a member that was meant as `member`, which the action has not; `null` where there is none. */
export function misnamed(subject: Subject, member: RuledMember): string | null {
  return names(subject, member) ? null : nearMiss(subject.unread(), member);
}

/** Whether the action has what a rule of `member` reads. */
export function names({ url, tool, other, scope, payload, cost }: Subject, member: RuledMember): boolean {
  switch (member) {
    case 'tool':
      return tool !== null || other !== null;
    case 'url':
      return url !== undefined;
    case 'data_scope':
      return scope !== null;
    case 'payload':
      return payload !== undefined;
    case 'cost':
      return cost !== undefined;
  }
}

/** Whether the action's type is this kind in any spelling: `HTTP-Call` is no way round a rule of `http_call`. */
export function isKind({ type, kind: exact }: Subject, kind: Exclude<ActionKind, 'other'>): boolean {
  if (exact !== 'other') return exact === kind;
  return type.length <= LONGEST_KIND && fold(type) === fold(kind);
}

const LONGEST_KIND = 24;

/** Absent is `null`; what is not text is a name that no list holds. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return value === undefined ? null : '';
}

function kindOf(type: unknown): ActionKind {
  switch (type) {
    case 'http_call':
    case 'llm_response':
    case 'data_access':
    case 'tool_use':
      return type;
    default:
      return 'other';
  }
}
