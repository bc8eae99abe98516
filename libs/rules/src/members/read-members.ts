import { conditionalMembers } from '@countersign/contracts';
import type { FactMember, JsonSchema, LimitMember, PatchOperation, RuleMember } from '@countersign/contracts';
import { zoneOffset } from '../host/hours.js';
import { isIdentifier } from '../cel/syntax.js';
import { patchProblem } from '../modify/patch-problem.js';
import { schemaProblem } from './schema-problem.js';

/** Members of a profile for rules with conditions; an absent list is empty. */
export interface RuleMembers {
  readonly rules?: readonly RuleMember[];
  readonly facts?: readonly FactMember[];
  readonly limits?: readonly LimitMember[];
}

/** Why the members of a profile are refused. It quotes the profile, never an action. */
export interface MemberProblem {
  readonly list: 'rules' | 'facts' | 'limits';
  /** Position in the list; `null` for the list itself. */
  readonly index: number | null;
  readonly id: string | null;
  /** The member, as `args.amount.max`; `null` for the element as a whole. */
  readonly member: string | null;
  /** Offsets in the expression, in UTF-16 units; `null` for what is no expression. */
  readonly position: { readonly start: number; readonly end: number } | null;
  /** The rest of a sentence that begins with the member. */
  readonly message: string;
  /** Text that would be accepted instead; `null` where none is known. */
  readonly proposal: string | null;
}

/** One sentence: `rules[0] "refund-cap", when, at 4: reads args.amount … Write: has(args.amount) && …`. */
export function problemText({ list, index, id, member, position, message, proposal }: MemberProblem): string {
  const place = [
    index === null ? list : `${list}[${index}]${id === null ? '' : ` "${id}"`}`,
    ...(member === null ? [] : [member]),
    ...(position === null ? [] : [`at ${position.start}`]),
  ].join(', ');
  return `${place}: ${message}${proposal === null ? '' : `. Write: ${proposal}`}`;
}

/** The members of a value, with absent lists as empty ones, or their problems: bounds, types, and unique ids. */
export function readMembers(
  value: unknown,
): { readonly members: Required<RuleMembers> } | { readonly problems: readonly MemberProblem[] } {
  const given = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const problems = (['rules', 'facts', 'limits'] as const).flatMap((list) => listProblems(list, given[list]));
  if (problems.length > 0) return { problems };
  const { rules = [], facts = [], limits = [] } = given as RuleMembers;
  return { members: { rules, facts, limits } };
}

type List = MemberProblem['list'];

function listProblems(list: List, value: unknown): readonly MemberProblem[] {
  if (value === undefined) return [];
  const whole = (message: string): readonly MemberProblem[] => [
    { list, index: null, id: null, member: null, position: null, message, proposal: null },
  ];
  const { maxItems, items } = conditionalMembers[list];
  if (!Array.isArray(value)) return whole('must be a list');
  if (value.length > maxItems) return whole(`has more than ${maxItems} entries`);
  const ids = new Set<string>();
  return (value as readonly unknown[]).flatMap((element, index) => {
    const id = idOf(element);
    const problem = elementProblem(list, items, element) ?? duplicate(ids, id);
    if (problem === null) return [];
    return [
      {
        list,
        index,
        id,
        member: problem.place === '' ? null : problem.place,
        position: null,
        message: problem.message,
        proposal: null,
      },
    ];
  });
}

type Found = ReturnType<typeof schemaProblem>;

function duplicate(ids: Set<string>, id: string | null): Found {
  if (id === null) return null;
  if (ids.has(id)) return { place: 'id', message: 'is that of another element of the list' };
  ids.add(id);
  return null;
}

function elementProblem(list: List, schema: JsonSchema, element: unknown): Found {
  const problem = schemaProblem(schema, element);
  if (problem !== null) return problem;
  const member = element as Readonly<Record<string, unknown>>;
  const names = namesProblem(member);
  if (names !== null) return names;
  switch (list) {
    case 'rules':
      return ruleProblem(member);
    case 'facts':
      return isIdentifier(String(member['id'])) ? null : { place: 'id', message: 'is a reserved word of CEL' };
    case 'limits':
      return limitProblem(member);
  }
}

/** As entries of `off_limits_actions`. */
function namesProblem(member: Readonly<Record<string, unknown>>): Found {
  for (const list of ['tools', 'types'] as const) {
    for (const [at, entry] of ((member[list] ?? []) as readonly string[]).entries()) {
      const star = entry.indexOf('*');
      if (entry !== entry.trim()) return { place: `${list}[${at}]`, message: 'begins or ends with white space' };
      if (star >= 0 && star !== entry.length - 1)
        return { place: `${list}[${at}]`, message: 'has a * that is not its last character: write names as crm.*' };
    }
  }
  return null;
}

function ruleProblem(rule: Readonly<Record<string, unknown>>): Found {
  const { effect, args, when, hours } = rule;
  if (effect === 'deny_unless' && args === undefined && when === undefined && hours === undefined) {
    return { place: 'effect', message: 'is deny_unless without a condition: add args, when or hours' };
  }
  return effectProblem(rule) ?? hoursProblem(hours) ?? argsProblem(args);
}

/** Members that only rules with one effect have. */
const OF_EFFECTS = {
  approve: ['approvers', 'expires_seconds', 'reuse', 'ignore'],
  modify: ['patch'],
  defer: ['missing', 'retry_after_seconds'],
} as const;

function effectProblem(rule: Readonly<Record<string, unknown>>): Found {
  for (const [effect, names] of Object.entries(OF_EFFECTS)) {
    const place = rule['effect'] === effect ? undefined : names.find((name) => rule[name] !== undefined);
    if (place !== undefined) return { place, message: `is given without the effect ${effect}` };
  }
  if (rule['effect'] === 'modify') return modifyProblem(rule);
  if (rule['effect'] === 'defer') return deferProblem(rule);
  return approversProblem(rule['approvers']) ?? ignoreProblem(rule['ignore']);
}

function modifyProblem({ patch }: Readonly<Record<string, unknown>>): Found {
  if (patch === undefined)
    return {
      place: 'patch',
      message: 'is missing: write the change after which it is allowed',
    };
  return patchProblem(patch as readonly PatchOperation[]);
}

function deferProblem({ args, when, missing }: Readonly<Record<string, unknown>>): Found {
  const isGiven = args !== undefined || when !== undefined || missing !== undefined;
  return isGiven
    ? null
    : {
        place: 'missing',
        message: 'is not given, and the rule reads nothing: say what it waits for',
      };
}

function approversProblem(approvers: unknown): Found {
  const { roles, users, min = 1 } = (approvers ?? {}) as NonNullable<RuleMember['approvers']>;
  for (const [name, list] of Object.entries({ roles, users })) {
    const again = list?.findIndex((one, at) => list.indexOf(one) !== at) ?? -1;
    if (again >= 0) return { place: `approvers.${name}[${again}]`, message: 'is in the list twice' };
  }
  if (roles === undefined && users !== undefined && users.length < min)
    return { place: 'approvers.min', message: `needs ${min} people, and users names ${users.length}` };
  return null;
}

function ignoreProblem(ignore: unknown): Found {
  const paths = (ignore ?? []) as readonly string[];
  const at = paths.findIndex((path) => path.split('.').some((name) => name === ''));
  return at < 0 ? null : { place: `ignore[${at}]`, message: 'is not a path: write description, or payload.note' };
}

function hoursProblem(hours: unknown): Found {
  if (hours === undefined) return null;
  const { zone, inside, outside } = hours as Readonly<Record<string, unknown>>;
  if (zoneOffset(String(zone), 0) === null)
    return { place: 'hours.zone', message: 'is not a time zone: write Europe/Berlin' };
  if (inside !== undefined && outside !== undefined)
    return { place: 'hours', message: 'has inside and outside: leave one out' };
  return null;
}

function argsProblem(args: unknown): Found {
  for (const [key, matcher] of Object.entries(
    (args ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  )) {
    const place = `args.${key}`;
    if (key.length > 256 || key.split('.').some((name) => name === ''))
      return { place, message: 'is not a path: write amount, or customer.tier' };
    const { absent, present, ...others } = matcher;
    const conditions = Object.keys(others).length;
    if (absent === true && (present === true || conditions > 0))
      return { place, message: 'demands that the member is absent, and something of its value' };
    if (absent === 'allow' && (present === true || conditions === 0))
      return { place, message: 'allows that the member is absent, and demands nothing else' };
    const { min, max } = others;
    if (typeof min === 'number' && typeof max === 'number' && min > max)
      return { place, message: 'has a min above its max' };
  }
  return null;
}

function limitProblem(limit: Readonly<Record<string, unknown>>): Found {
  const { max_count: count, sum, max_sum: maxSum, reserve } = limit;
  if ((sum === undefined) !== (maxSum === undefined))
    return { place: sum === undefined ? 'sum' : 'max_sum', message: 'needs both sum and max_sum' };
  if ((count === undefined) === (sum === undefined))
    return { place: '', message: 'needs either max_count, or sum and max_sum' };
  if (reserve === true && sum === undefined)
    return { place: 'reserve', message: 'holds a sum, and the limit has none' };
  return null;
}

const idOf = (element: unknown): string | null => {
  const id = typeof element === 'object' && element !== null ? (element as { readonly id?: unknown }).id : undefined;
  return typeof id === 'string' && id.length <= 64 ? id : null;
};
