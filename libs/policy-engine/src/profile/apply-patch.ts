import type { BehaviorProfile, OutputRules } from '@countersign/contracts';
import { sameJson } from '../judge/same-json.js';
import { LIST_FIELDS, OPTIONAL_FIELDS, RULE_FIELDS } from './profile-fields.js';
import type { OptionalField, ProfilePatch, ProfileRules, RulePatch } from './profile-fields.js';
import { unitedMembers } from './united-members.js';
import { wholeOutputRules } from './read-output-rules.js';

/**
 * The profile with the patch's fields set and `version` incremented; the same object when nothing differs. `agent_id`
 * and `version` of the patch are ignored: see {@link ProfilePatch}.
 */
export function applyProfilePatch(profile: BehaviorProfile, patch: ProfilePatch): BehaviorProfile {
  const rules: Record<string, unknown> = {};
  let changed = false;
  for (const field of RULE_FIELDS) {
    const wanted = isOptional(field) ? optionalBy(patch, field) : patch[field];
    if (wanted === undefined) continue;
    if (sameJson(profile[field] ?? null, wanted)) continue;
    rules[field] = wanted;
    changed = true;
  }
  if (!changed) return profile;
  return withoutUnset({ ...profile, ...(rules as Partial<ProfileRules>), version: profile.version + 1 });
}

type Unset<T> = { readonly [K in keyof T]: K extends OptionalField ? Exclude<T[K], null | undefined> : T[K] };

/** The fields without those of {@link OPTIONAL_FIELDS} that are unset: `undefined`, `null` or an empty list. */
export function withoutUnset<T extends object>(fields: T): Unset<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => !isOptional(field) || !isUnset(value)),
  ) as Unset<T>;
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

const isOptional = (field: string): field is OptionalField => (OPTIONAL_FIELDS as readonly string[]).includes(field);

/** The list; `null` where the patch unsets it, `undefined` where it does not contain it. `require` names each once. */
function optionalBy(patch: ProfilePatch, field: OptionalField): unknown {
  const list = patch[field];
  if (list === undefined || list === null) return list;
  if (list.length === 0) return null;
  return field === 'require' ? [...new Set<unknown>(list)] : list;
}

/**
 * The profile with a safety package's rules merged in and `version` incremented; the same object when nothing differs.
 * Lists are united, what is switched on stays on, `enforce` wins, and of two limits the stricter one.
 */
export function mergeSafetyRules(profile: BehaviorProfile, rules: RulePatch): BehaviorProfile {
  const patch: { -readonly [K in keyof ProfileRules]?: ProfileRules[K] } = {};
  for (const field of LIST_FIELDS) {
    const added = rules[field];
    if (added !== undefined) patch[field] = union(profile[field], added);
  }
  if (rules.require !== undefined && rules.require !== null)
    patch.require = union(profile.require ?? [], rules.require);
  Object.assign(patch, unitedMembers(profile, rules));
  if (rules.mode === 'enforce') patch.mode = 'enforce';
  if (rules.freeze_on_violation === true) patch.freeze_on_violation = true;
  if (rules.store_payload === true) patch.store_payload = true;
  if (rules.spending_limit !== undefined && rules.spending_limit !== null) {
    const theirs = { limit: rules.spending_limit, window: rules.spending_window ?? profile.spending_window };
    const stricter = stricterSpending(profile, theirs);
    patch.spending_limit = stricter.limit;
    patch.spending_window = stricter.window;
  }
  if (rules.rate_limit !== undefined && rules.rate_limit !== null) {
    patch.rate_limit = stricterRate(profile.rate_limit, rules.rate_limit);
  }
  if (rules.output_rules !== undefined && rules.output_rules !== null) {
    patch.output_rules = stricterOutput(profile.output_rules, wholeOutputRules(rules.output_rules));
  }
  return applyProfilePatch(profile, patch);
}

function stricterOutput(ours: OutputRules | null, theirs: OutputRules): OutputRules {
  if (ours === null) return theirs;
  const lengths = [ours.max_length, theirs.max_length].filter((length) => length !== null);
  return {
    blocked_pii: union(ours.blocked_pii, theirs.blocked_pii),
    block_secrets: ours.block_secrets || theirs.block_secrets,
    blocked_topics: union(ours.blocked_topics, theirs.blocked_topics),
    max_length: lengths.length === 0 ? null : Math.min(...lengths),
  };
}

type Spending = { readonly limit: number; readonly window: BehaviorProfile['spending_window'] };

const WINDOW_LENGTH = { action: 0, day: 1, month: 2 } as const;

/** The lower limit, over the longer window: as strict as either, in any order. */
function stricterSpending(profile: BehaviorProfile, theirs: Spending): Spending {
  const { spending_limit: limit, spending_window: window } = profile;
  if (limit === null) return theirs;
  return {
    limit: Math.min(limit, theirs.limit),
    window: WINDOW_LENGTH[window] >= WINDOW_LENGTH[theirs.window] ? window : theirs.window,
  };
}

type Rate = NonNullable<BehaviorProfile['rate_limit']>;

/** The lower number, over the longer window: what either denies is denied, bursts too. */
function stricterRate(ours: Rate | null, theirs: Rate): Rate {
  if (ours === null) return theirs;
  return {
    max: Math.min(ours.max, theirs.max),
    per_seconds: Math.max(ours.per_seconds, theirs.per_seconds),
  };
}

function union<T extends string>(ours: readonly T[], theirs: readonly T[]): readonly T[] {
  return [...new Set([...ours, ...theirs])];
}
