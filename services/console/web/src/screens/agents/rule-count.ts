import type { BehaviorProfile } from '@countersign/contracts';

const LISTS = [
  'allowed_apis',
  'blocked_apis',
  'off_limits_actions',
  'allowed_actions',
  'allowed_data_scopes',
  'blocked_data_scopes',
] as const satisfies readonly (keyof BehaviorProfile)[];

/** Number of fields of a profile that may deny an action; 0: it allows everything. */
export function ruleCount(profile: BehaviorProfile): number {
  const lists = LISTS.filter((name) => profile[name].length > 0).length;
  const set = [profile.spending_limit, profile.rate_limit, profile.output_rules].filter((one) => one !== null).length;
  const optional = [profile.require, profile.rules, profile.limits].filter((list) => (list?.length ?? 0) > 0).length;
  return lists + set + optional;
}
