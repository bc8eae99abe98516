import type { RuleJudgement } from '@countersign/rules';
import type { CompiledProfile } from './compile-profile.js';
import { namesApi, namesData } from './judge/subject.js';
import type { Subject } from './judge/subject.js';
import type { Violation } from './violation.js';

/** Members of a profile that can apply to an action, ascending. */
const MEMBERS = [
  'allowed_actions',
  'allowed_apis',
  'allowed_data_scopes',
  'blocked_apis',
  'blocked_data_scopes',
  'limits',
  'off_limits_actions',
  'output_rules',
  'rate_limit',
  'require',
  'rules',
  'spending_limit',
] as const;
type Member = (typeof MEMBERS)[number];

const BIT = Object.fromEntries(MEMBERS.map((member, i) => [member, 1 << i])) as Readonly<Record<Member, number>>;

/** By the bits of their members: a few of the combinations occur, and each is the same list for every check. */
const lists = new Map<number, readonly Member[]>();

/**
 * The members of the profile that apply to the action, ascending; empty: none does. One that denied applies, whatever
 * the kind of the action.
 */
export function coverageOf(
  profile: CompiledProfile,
  subject: Subject,
  violation: Violation | null,
  rules: RuleJudgement | null,
): readonly string[] {
  let bits = 0;
  if (profile.offLimitsActions !== null) bits |= BIT.off_limits_actions;
  if (profile.allowedActions !== null) bits |= BIT.allowed_actions;
  if (profile.rate !== null) bits |= BIT.rate_limit;
  if (profile.required !== null) bits |= BIT.require;
  if (profile.output !== null && subject.payload !== undefined) bits |= BIT.output_rules;
  if (profile.spending !== null && subject.cost !== undefined) bits |= BIT.spending_limit;
  if ((profile.allowedApis !== null || profile.blockedApis !== null) && namesApi(subject)) {
    if (profile.allowedApis !== null) bits |= BIT.allowed_apis;
    if (profile.blockedApis !== null) bits |= BIT.blocked_apis;
  }
  if ((profile.allowedDataScopes !== null || profile.blockedDataScopes !== null) && namesData(subject)) {
    if (profile.allowedDataScopes !== null) bits |= BIT.allowed_data_scopes;
    if (profile.blockedDataScopes !== null) bits |= BIT.blocked_data_scopes;
  }
  if (rules !== null) {
    if (rules.rulesApply) bits |= BIT.rules;
    if (rules.limitsApply) bits |= BIT.limits;
  }
  if (violation !== null) bits |= bitOf(violation.rule);
  return listOf(bits);
}

function listOf(bits: number): readonly Member[] {
  let list = lists.get(bits);
  if (list === undefined) lists.set(bits, (list = MEMBERS.filter((member) => (bits & BIT[member]) !== 0)));
  return list;
}

/** The bit of the member that a rule such as `allowed_apis:not listed` or `output_rules.max_length:80` belongs to. */
function bitOf(rule: string | null): number {
  const member = rule === null ? '' : (/^[a-z_]+/.exec(rule)?.[0] ?? '');
  return Object.hasOwn(BIT, member) ? BIT[member as Member] : 0;
}
