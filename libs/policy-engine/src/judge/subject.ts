import type { ActionKind } from '@countersign/contracts';
import { readUrl } from '../urls/read-url.js';
import type { ReadUrl } from '../urls/read-url.js';

/** A check's `action` as received. Members of another type than a check may have are judged as if they named nothing allowed. */
export type Action = Readonly<Record<string, unknown>>;

/** What rules are judged by, read once from an action. */
export interface Subject {
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
  return {
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
export function namesData({ scope, kind }: Subject): boolean {
  return scope !== null || kind === 'data_access';
}

/** `undefined` where no URL is named, `null` where it cannot be read. */
export function urlOf({ url }: Subject): ReadUrl | null | undefined {
  if (url === undefined) return undefined;
  return typeof url === 'string' ? readUrl(url) : null;
}

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
