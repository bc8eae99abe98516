import type { ArgumentMatcher, RuleMember } from '@countersign/contracts';
import { nameEntryProblem } from '@countersign/policy-engine';
import { membersOf } from './arguments-of.js';
import type { SeenMember } from './arguments-of.js';
import { frequent } from './bounds.js';
import { hostsOf, matchersFor, MOST_HOSTS } from './matchers.js';
import type { Arguments, SeenCheck } from './seen-check.js';
import { mayBeShown } from './shown-values.js';
import { deniedBy } from './try-patch.js';

/** Allowed checks of one tool, or of one type of action that names no tool, whose arguments are known. */
export interface Group {
  readonly name: string;
  readonly scope: Pick<RuleMember, 'tools' | 'types'>;
  readonly checks: readonly (SeenCheck & { readonly args: Arguments })[];
  readonly members: readonly SeenMember[];
}

/** Share of the checks of a tool that have a member for which a rule is drafted. */
const LEAST_SHARE = 0.1;

/** The groups with at least `least` checks, the largest first, and the names of the smaller ones. */
export function groupsOf(
  checks: readonly SeenCheck[],
  least: number,
): { readonly groups: readonly Group[]; readonly small: readonly string[] } {
  const found = new Map<string, (SeenCheck & { readonly args: Arguments })[]>();
  for (const check of checks) {
    if (check.args === null) continue;
    const key = JSON.stringify([check.tool === null ? 'types' : 'tools', check.tool ?? check.type]);
    const group = found.get(key);
    const known = { ...check, args: check.args };
    if (group === undefined) found.set(key, [known]);
    else group.push(known);
  }
  const sorted = [...found].toSorted((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  const groups: Group[] = [];
  const small: string[] = [];
  for (const [key, ofGroup] of sorted) {
    const [list, name] = JSON.parse(key) as ['tools' | 'types', string];
    if (name === '' || name.includes('*') || nameEntryProblem(name) !== null || !mayBeShown(name)) continue;
    if (ofGroup.length < least) {
      small.push(name);
      continue;
    }
    const members = membersOf(ofGroup, Math.max(least, Math.ceil(LEAST_SHARE * ofGroup.length)));
    groups.push({ name, scope: { [list]: [name] }, checks: ofGroup, members });
  }
  return { groups, small };
}

/** A rule for one member of the arguments, and the checks that it rests on. */
export interface DraftedRule {
  readonly rule: RuleMember;
  readonly checks: number;
}

/** For each member the first matcher that denies no more checks of the group than the share allows. */
export function rulesOf(
  { name, scope, checks, members }: Group,
  options: { readonly denyAtMost: number; readonly headroom: number },
): readonly DraftedRule[] {
  return members.flatMap((member): readonly DraftedRule[] => {
    const allowance = Math.floor(options.denyAtMost * checks.length);
    // A folder, a host or an object of other members has no matcher of its own.
    for (const matcher of matchersFor(member, { allowance, headroom: options.headroom })) {
      const rule: RuleMember = {
        id: idOf(name, member.path),
        ...scope,
        args: { [member.path]: matcher },
        effect: 'deny_unless',
        reason: reasonOf(name, member.path, matcher),
      };
      if (deniedBy({ rules: [rule] }, checks) <= allowance) return [{ rule, checks: member.values.length }];
    }
    return [];
  });
}

/**
 * A rule on the host of the address, for each type of calls with at least `least` checks: for where a list of hosts would
 * deny other actions.
 */
export function hostRules(
  seen: readonly SeenCheck[],
  { denyAtMost, least }: { readonly denyAtMost: number; readonly least: number },
): readonly DraftedRule[] {
  const calls = seen.filter(({ action, type }) => typeof action['url'] === 'string' && type !== '');
  const types = [...new Set(calls.map(({ type }) => type))].toSorted();
  return types.flatMap((type): readonly DraftedRule[] => {
    const checks = calls.filter((call) => call.type === type);
    const allowance = Math.floor(denyAtMost * checks.length);
    const hosts = frequent(
      checks.map(({ action }) => hostsOf([String(action['url'])])),
      allowance,
    );
    if (checks.length < least || hosts.length === 0 || hosts.length > MOST_HOSTS || !hosts.every(mayBeShown)) return [];
    const rule: RuleMember = {
      id: idOf(type, 'host'),
      types: [type],
      when: `has(action.url) && host_in(action.url, [${hosts.map((host) => `'${host}'`).join(', ')}])`,
      effect: 'deny_unless',
      reason: `url of ${type} must be at a host that this rule names.`,
    };
    const same = seen.filter((check) => check.type === type);
    return deniedBy({ rules: [rule] }, same) <= allowance ? [{ rule, checks: checks.length }] : [];
  });
}

/** An id of a rule or limit from names: lower-case letters, digits, - and _. */
export const idOf = (...names: readonly string[]): string =>
  names
    .map((name) =>
      name
        .toLowerCase()
        .replace(/[^a-z0-9_]+/g, '-')
        .replace(/^[-_]+|-+$/g, ''),
    )
    .join('-')
    .slice(0, 64);

const LONGEST_REASON = 240;

function reasonOf(name: string, path: string, matcher: ArgumentMatcher): string {
  const text = `${path} of ${name} ${demandOf(matcher)}.`;
  return text.length <= LONGEST_REASON ? text : `${path} of ${name} must be on the list of this rule.`.slice(0, 512);
}

function demandOf({ absent: _, ...matcher }: ArgumentMatcher): string {
  const { min, max, one_of: values, prefix, under, host_in: hosts, domain_in: domains } = matcher;
  if (matcher.read_only_sql === true) return 'must be one SQL statement that only reads';
  if (max !== undefined) return `must be a number from ${min} to ${max}`;
  if (values !== undefined) return `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`;
  if (prefix !== undefined) return `must begin with ${prefix}`;
  if (under !== undefined) return `must be below ${under.join(' or ')}`;
  if (hosts !== undefined) return `must be at ${hosts.join(' or ')}`;
  if (domains !== undefined) return `may only name addresses at ${domains.join(', ')}`;
  return matcher.max_length === undefined ? 'must be given' : `may be at most ${matcher.max_length} long`;
}
