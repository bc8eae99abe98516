import type { ActionKind } from '@countersign/contracts';
import { ReadingBudget } from '../urls/path-views.js';
import { readUrl } from '../urls/read-url.js';
import type { ReadUrl } from '../urls/read-url.js';
import { addressesIn, hasMoreLines, isProse } from './arguments.js';
import type { FoundAddress } from './arguments.js';
import { addressOf, contradiction, fold, isBlank, MEMBERS, moneyIn, nearMiss, unreadMembers } from './members.js';
import type { RuledMember, UnreadMember } from './members.js';

/** A check's `action` as received. Members of an unexpected type are judged as if they named nothing allowed. */
export type Action = Readonly<Record<string, unknown>>;

/** The input of the rules, read once from an action. */
export interface Subject {
  /** Members that no rule reads; computed at the first call. */
  readonly unread: () => readonly UnreadMember[];
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
  readonly metadata: unknown;
  readonly cost: unknown;
  readonly budget: ReadingBudget;
}

const NOTHING: Action = {};

/**
 * Total: a value that is not an object is an action that names nothing. @param budget shared by the actions of one
 * request
 */
export function subjectOf(given: unknown, budget = new ReadingBudget()): Subject {
  const action = typeof given === 'object' && given !== null ? (given as Action) : NOTHING;
  let unread: readonly UnreadMember[] | undefined;
  return {
    unread: () => (unread ??= unreadMembers(action)),
    type: textOf(action['type']) ?? '',
    kind: kindOf(action['type']),
    url: action['url'],
    tool: textOf(action['tool_name']),
    other: textOf(action['toolName']),
    scope: textOf(action['dataScope']),
    payload: action['payload'],
    metadata: action['metadata'],
    cost: action['estimatedCost'],
    budget,
  };
}

/** Reports whether a rule of APIs applies to it. */
export function namesApi(subject: Subject): boolean {
  const { url, tool, other, payload } = subject;
  return url !== undefined || tool !== null || other !== null || (payload !== undefined && isToolType(subject.type));
}

/**
 * The addresses in the arguments of a call: in the payload of a `tool_use`, and of any other action that names no
 * `url`, but a tool, or by its type a call. The payload of any other action is content that is said or sent, not an
 * address that is called; an `http_call` names its `url`.
 */
export function argumentAddresses(subject: Subject): readonly FoundAddress[] {
  if (subject.payload === undefined && subject.unread().length === 0) return NO_ADDRESSES;
  return isToolCall(subject)
    ? addressesIn(subject.payload, subject.unread(), isTool(subject), subject.url !== undefined)
    : NO_ADDRESSES;
}

/** Reports whether a type means that a tool is called: `tool_use` in any spelling, and its synonyms. */
export function isToolType(type: string): boolean {
  return type.length <= LONGEST_KIND && TOOL_TYPE.test(fold(type));
}

const TOOL_TYPE =
  /^(?:call|use|run|invoke)?(?:(?:mcp)?(?:tool|function)s?|mcp)(?:use|calls?|calling|invoke|invocation|execute|execution|run)?$/;

/** Reports whether its payload is the arguments of a call. */
export function isToolCall(subject: Subject): boolean {
  return isTool(subject) || (subject.url === undefined && isCall(subject) && !isHttpRequest(subject));
}

/** Reports whether it calls a tool, by its type or by naming one and no `url`. */
function isTool(subject: Subject): boolean {
  if (subject.kind === 'tool_use' || (subject.kind === 'other' && isToolType(subject.type))) return true;
  return subject.url === undefined && (names(subject, 'tool') || misnamed(subject, 'tool') !== null);
}

const NO_ADDRESSES: readonly FoundAddress[] = [];

/** Reports whether a rule of data scopes applies to it. */
export function namesData(subject: Subject): boolean {
  return subject.scope !== null || isKind(subject, 'data_access');
}

/**
 * `undefined` where no URL is named, or one that repeats an argument, as clients send it for the record: it is judged
 * as that argument. A text says why it cannot be judged.
 * @param found of {@link argumentAddresses}
 */
export function urlOf({ url }: Subject, found: readonly FoundAddress[]): ReadUrl | string | undefined {
  if (url === undefined || found.some((one) => one.given === url && isWhole(one))) return undefined;
  return typeof url === 'string' ? readUrl(url) : 'is not a string';
}

/** Reports whether all of its text is judged, by both lists. */
function isWhole(found: FoundAddress): boolean {
  return found.named || (!isProse(found) && !hasMoreLines(found));
}

/**
 * The name of a member that was meant as `member`, which the action lacks or leaves blank; `null` where there is none.
 */
export function misnamed(subject: Subject, member: RuledMember): string | null {
  if (fills(subject, member)) return null;
  const unread = subject.unread();
  const found = nearMiss(unread, member);
  if (found !== null) return found;
  if (member === 'url') return isCall(subject) ? addressOf(unread) : null;
  return member === 'cost' ? costWithin(subject) : null;
}

/** The payload of a response, and of a data access, is what the agent says or writes: it may mention any costs. */
function costWithin(subject: Subject): string | null {
  const { payload, metadata } = subject;
  const isOutput = isKind(subject, 'llm_response') || isKind(subject, 'data_access');
  const inPayload = isOutput ? null : moneyIn(payload);
  if (inPayload !== null) return `payload.${inPayload}`;
  const inMetadata = moneyIn(metadata);
  return inMetadata === null ? null : `metadata.${inMetadata}`;
}

/**
 * The name of a member that no rule reads and that can mean nothing else than `member`, where it holds another value
 * than the one that rules read; `null` where there is none.
 */
export function contradicted(subject: Subject, member: RuledMember): string | null {
  if (!names(subject, member)) return null;
  return contradiction(subject.unread(), member, valuesOf(subject, member));
}

/** The values that rules of `member` read, of an action that has one. */
function valuesOf({ url, tool, other, scope, payload, cost }: Subject, member: RuledMember): readonly unknown[] {
  switch (member) {
    case 'tool':
      return tool === null ? [other] : [tool, other];
    case 'url':
      return [url];
    case 'data_scope':
      return [scope];
    case 'payload':
      return [payload];
    case 'cost':
      return [cost];
  }
}

/** Reports whether the action has the member that a rule of `member` reads. */
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

/** Reports whether the action has a value for a rule of `member` that is not blank. */
export function fills(subject: Subject, member: RuledMember): boolean {
  return names(subject, member) && valuesOf(subject, member).some((value) => !isBlank(value));
}

/** The name under which the action has what a rule of `member` reads. */
export function nameGiven({ tool }: Subject, member: RuledMember): string {
  return member === 'tool' && tool === null ? 'toolName' : MEMBERS[member].right;
}

/** Reports whether the action's type is this kind in any spelling: `HTTP-Call` does not avoid a rule of `http_call`. */
export function isKind({ type, kind: exact }: Subject, kind: Exclude<ActionKind, 'other'>): boolean {
  if (exact !== 'other') return exact === kind;
  return type.length <= LONGEST_KIND && fold(type) === fold(kind);
}

/** Reports whether the action's type means a call of an address: `http_call` and its synonyms. */
function isCall({ type }: Subject): boolean {
  return isCallType(type);
}

/**
 * Reports whether a type means that an address is called: `http_call` in any spelling, `fetch`, `webhook` and the like.
 */
export function isCallType(type: string): boolean {
  return type.length <= LONGEST_KIND && CALL.test(fold(type));
}

/** Reports whether the action is by its type an HTTP request, which must name its address. */
export function isHttpRequest(subject: Subject): boolean {
  if (isKind(subject, 'http_call')) return true;
  const { kind, type } = subject;
  // An action of another kind than `http_call` may consist of only the tool it names.
  return kind === 'other' && type.length <= LONGEST_KIND && HTTP_REQUEST.test(fold(type)) && !fills(subject, 'tool');
}

const METHOD = 'call|request|fetch|get|head|post|put|patch|delete';
const HTTP_REQUEST = new RegExp(`^https?(?:${METHOD})$`);
const CALL = new RegExp(`^(?:(?:https?|api|rest|web|network|url)(?:${METHOD})|fetch|curl|wget|webhook)$`);
const LONGEST_KIND = 24;

/** Absent is `null`; a value that is not text is a name that no list contains. */
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
