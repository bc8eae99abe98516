import type { AnswerExtras, RequiredMember, Severity, ViolationType } from '@countersign/contracts';
import { MEMBERS } from './judge/members.js';
import type { RuledMember } from './judge/members.js';

/**
 * A denial by a rule of the profile. It never quotes the action: `rule` is `<field>:<entry>` of the profile, `detail`
 * holds limits, and `reason` names entries of the profile and members, never their values.
 */
export interface Violation {
  readonly violation_type: ViolationType;
  readonly severity: Severity;
  readonly reason: string;
  readonly rule: string | null;
  readonly detail: string | null;
  readonly extras: AnswerExtras | null;
}

const entries = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`;

/** The member of the action that a rule judges. */
type Member = 'type' | 'url' | 'tool_name' | 'toolName';

/** A {@link Member}, or the location among the arguments of a tool call. */
type Location = string;

const named = (by: Member): string => (by === 'type' ? 'This type of action' : `The tool in ${by}`);

function offLimitsAction(reason: string, rule: string): Violation {
  return { violation_type: 'off_limits_action', severity: 'P1', reason, rule, detail: null, extras: null };
}

export function offLimits(entry: string, by: Member): Violation {
  const rule = `off_limits_actions:${entry}`;
  return offLimitsAction(
    `${named(by)} is off limits (rule off_limits_actions: ${entry}). Do not retry it; ask whoever manages this agent if it is needed.`,
    rule,
  );
}

export function actionNotListed(by: Member, count: number): Violation {
  return offLimitsAction(
    `${named(by)} is not on allowed_actions (${entries(count)}). Take an action that is listed, or have it added to the agent's profile.`,
    'allowed_actions:not listed',
  );
}

type ApiField = 'allowed_apis' | 'blocked_apis';

const apiNamed = (by: Location): string =>
  by === 'tool_name' || by === 'toolName' ? `The tool in ${by}` : `The address in ${by}`;

/** @param by `url`, `tool_name`, `toolName`, or of `locationOf` */
export function apiBlocked(entry: string, by: Location, count: number): Violation {
  return api(
    `${apiNamed(by)} is blocked (rule blocked_apis: ${entry}). Use another API or tool, or have the agent's profile changed.`,
    `blocked_apis:${entry}`,
    `blocked_apis has ${entries(count)}`,
  );
}

/**
 * @param by as of {@link apiBlocked}
 * @param nearest a sentence about the closest entry, or ''
 */
export function apiNotListed(by: Location, count: number, nearest: string): Violation {
  const hint = nearest === '' ? '' : ` ${nearest}`;
  return api(
    `${apiNamed(by)} is not on allowed_apis (${entries(count)}).${hint} Use one that is, or have it added to the agent's profile.`,
    'allowed_apis:not listed',
    `allowed_apis has ${entries(count)}`,
  );
}

/**
 * @param problem of `readUrl`
 * @param by of `locationOf`; `null`: the action's own
 */
export function urlUnreadable(field: ApiField, count: number, problem: string, by: Location | null): Violation {
  return api(
    `${by === null ? "The action's URL" : `The address in ${by}`} cannot be judged by ${field}: it ${problem}. Send the full http or https URL that will be called.`,
    `${field}:unreadable URL`,
    `${field} has ${entries(count)}`,
  );
}

function api(reason: string, rule: string, detail: string): Violation {
  return { violation_type: 'api_not_allowed', severity: 'P2', reason, rule, detail, extras: null };
}

type ScopeField = 'allowed_data_scopes' | 'blocked_data_scopes';

export function scopeBlocked(entry: string): Violation {
  return scope(
    `The data scope is blocked (rule blocked_data_scopes: ${entry}). Use another, or have the agent's profile changed.`,
    `blocked_data_scopes:${entry}`,
  );
}

export function scopeNotListed(count: number): Violation {
  return scope(
    `The data scope is not on allowed_data_scopes (${entries(count)}). Use one that is, or have it added to the agent's profile.`,
    'allowed_data_scopes:not listed',
  );
}

export function scopeMissing(count: number): Violation {
  return scope(
    `Data access needs a data scope that is on allowed_data_scopes (${entries(count)}). Send dataScope with the action.`,
    'allowed_data_scopes:no scope given',
  );
}

export function scopeUnreadable(field: ScopeField): Violation {
  return scope(
    `The data scope cannot be judged by ${field}: it is a path with "..", a control character, or encodings inside each other or as %u002e. Send the path that will be read, without them.`,
    `${field}:unreadable scope`,
  );
}

function scope(reason: string, rule: string): Violation {
  return { violation_type: 'data_scope_denied', severity: 'P1', reason, rule, detail: null, extras: null };
}

/** A rule that reads a member which the action lacks, or has twice. */
export type Reader =
  'off_limits_actions' | 'allowed_actions' | ApiField | ScopeField | 'output_rules' | 'spending_limit' | 'require';

const DENIES = {
  tool: { violation_type: 'off_limits_action', severity: 'P1' },
  url: { violation_type: 'api_not_allowed', severity: 'P2' },
  data_scope: { violation_type: 'data_scope_denied', severity: 'P1' },
  payload: { violation_type: 'unsafe_output', severity: 'P1' },
  cost: { violation_type: 'spending_limit_exceeded', severity: 'P2' },
} as const satisfies Record<RuledMember, Pick<Violation, 'violation_type' | 'severity'>>;

/** @param found the name in the action: one that `MEMBERS` knows, in any spelling */
export function memberMisnamed(reader: Reader, member: RuledMember, found: string): Violation {
  const { right, written } = MEMBERS[member];
  return {
    ...kindOf(reader, member),
    reason: `No rule reads the member "${found}" of an action, so ${reader} cannot be judged. Did you mean "${right}"? Send it ${written} and check again.`,
    rule: `${reader}:no ${right} given`,
    detail: null,
    extras: null,
  };
}

/**
 * @param given the name of the member that rules read
 * @param other a name that can mean nothing else, and holds another value
 */
export function membersDisagree(reader: Reader, member: RuledMember, given: string, other: string): Violation {
  return {
    ...kindOf(reader, member),
    reason: `The members "${given}" and "${other}" of the action hold different values, so ${reader} cannot be judged. Send the value that counts as "${given}" alone and check again.`,
    rule: `${reader}:${given} contradicted`,
    detail: null,
    extras: null,
  };
}

/** A list of APIs denies with its own violation type, whatever member it reads. */
function kindOf(reader: Reader, member: RuledMember): Pick<Violation, 'violation_type' | 'severity'> {
  return reader === 'allowed_apis' || reader === 'blocked_apis' ? DENIES.url : DENIES[member];
}

/** An action that is by its kind a call of an address or a tool, and names none. */
export function apiMissing(field: ApiField, member: 'url' | 'tool', count: number): Violation {
  const { right } = MEMBERS[member];
  const what = member === 'url' ? 'An http_call must name its address' : 'A tool_use must name its tool';
  return api(
    `${what}, since ${field} limits which ones may be used (${entries(count)}). Send ${right} with the action.`,
    `${field}:no ${right} given`,
    `${field} has ${entries(count)}`,
  );
}

/** @param found as in {@link memberMisnamed}, or `null` */
export function memberRequired(member: RequiredMember, found: string | null): Violation {
  const { right } = MEMBERS[member];
  const hint = found === null ? '' : ` No rule reads "${found}".`;
  return {
    ...DENIES[member],
    reason: `Every action of this agent must name its ${member.replace('_', ' ')} (rule require: ${member}).${hint} Send ${right} with the action and check again.`,
    rule: `require:${member}`,
    detail: null,
    extras: null,
  };
}
