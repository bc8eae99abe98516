import { MAX_PROFILE_BYTES, REQUIRED_MEMBERS, unknownField } from '@countersign/contracts';
import type { BehaviorProfile, OutputRules } from '@countersign/contracts';
import { apiEntryProblem, nameEntryProblem, scopeEntryProblem } from '../entries/grammar.js';
import { isWhole, outputRulesProblem, wholeOutputRules } from './read-output-rules.js';
import { OPTIONAL_FIELDS } from './profile-fields.js';
import type { ProfilePatch } from './profile-fields.js';
import { conditionalProblem, membersProblem } from './conditional-members.js';

const MAX_ENTRIES = 1000;
const MAX_ENTRY_LENGTH = 512;
const MAX_RATE = 100_000;
const MAX_RATE_SECONDS = 366 * 24 * 3600;

type Check = (value: unknown, field: string) => string | null;

const list =
  (entryProblem: (entry: string) => string | null): Check =>
  (value, field) => {
    if (!Array.isArray(value)) return `${field} must be a list of strings`;
    if (value.length > MAX_ENTRIES) return `${field} has more than ${MAX_ENTRIES} entries`;
    for (let i = 0; i < value.length; i += 1) {
      const entry: unknown = value[i];
      if (typeof entry !== 'string') return `${field}[${i}] must be a string`;
      if (entry.length > MAX_ENTRY_LENGTH) return `${field}[${i}] is longer than ${MAX_ENTRY_LENGTH} characters`;
      const problem = entryProblem(entry);
      if (problem !== null) return `${field}[${i}] ${problem}`;
    }
    return null;
  };

const oneOf =
  (...values: readonly string[]): Check =>
  (value, field) =>
    typeof value === 'string' && values.includes(value) ? null : `${field} must be one of ${values.join(', ')}`;

const flag: Check = (value, field) => (typeof value === 'boolean' ? null : `${field} must be true or false`);

const isLimit = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

const spendingLimit: Check = (value, field) =>
  value === null || isLimit(value) ? null : `${field} must be null or a number of US dollars, zero or more`;

const rateLimit: Check = (value, field) => {
  if (value === null) return null;
  if (!isPlainObject(value)) return `${field} must be null or {max, per_seconds}`;
  for (const key of Object.keys(value)) {
    if (key !== 'max' && key !== 'per_seconds') return `${field} knows only max and per_seconds`;
  }
  const { max, per_seconds: seconds } = value;
  if (!isLimit(max) || !Number.isInteger(max) || max > MAX_RATE) {
    return `${field}.max must be a whole number from 0 to ${MAX_RATE}`;
  }
  if (!isLimit(seconds) || !Number.isInteger(seconds) || seconds < 1 || seconds > MAX_RATE_SECONDS) {
    return `${field}.per_seconds must be a whole number from 1 to ${MAX_RATE_SECONDS}`;
  }
  return null;
};

function requireProblem(value: unknown, field: string): string | null {
  const known: readonly unknown[] = REQUIRED_MEMBERS;
  const fits =
    value === null ||
    (Array.isArray(value) && value.length <= MAX_ENTRIES && value.every((one) => known.includes(one)));
  return fits ? null : `${field} must be null or a list of ${REQUIRED_MEMBERS.join(', ')}`;
}

type Checks = Readonly<Record<keyof ProfilePatch, Check>>;

const CHECKS: Checks = {
  agent_id: (value, field) => (typeof value === 'string' ? null : `${field} must be the agent's id`),
  version: (value, field) =>
    Number.isSafeInteger(value) && (value as number) >= 1 ? null : `${field} must be the current version`,
  mode: oneOf('enforce', 'observe'),
  allowed_apis: list(apiEntryProblem),
  blocked_apis: list(apiEntryProblem),
  spending_limit: spendingLimit,
  spending_window: oneOf('action', 'day', 'month'),
  rate_limit: rateLimit,
  off_limits_actions: list(nameEntryProblem),
  allowed_actions: list(nameEntryProblem),
  allowed_data_scopes: list(scopeEntryProblem),
  blocked_data_scopes: list(scopeEntryProblem),
  freeze_on_violation: flag,
  store_payload: flag,
  output_rules: outputRulesProblem,
  require: requireProblem,
  rules: membersProblem,
  facts: membersProblem,
  limits: membersProblem,
};

/** Fields that a profile has only where they are set. */
const OPTIONAL: ReadonlySet<string> = new Set(OPTIONAL_FIELDS);

/** Profiles stored before paths were judged in data scopes stay in force: such an entry matches nothing. */
const STORED_CHECKS: Checks = {
  ...CHECKS,
  allowed_data_scopes: list(nameEntryProblem),
  blocked_data_scopes: list(nameEntryProblem),
};

/**
 * Reads the body of `PATCH /v1/agents/{id}/profile` as a whole: one wrong field makes all of it invalid. `error` says
 * what to change and names the field and the index, never the value.
 */
export function readProfilePatch(body: unknown): ReadPatch {
  return readFields(body, CHECKS);
}

type ReadPatch = { readonly patch: ProfilePatch } | { readonly error: string };

function readFields(body: unknown, checks: Checks): ReadPatch {
  if (!isPlainObject(body)) return { error: 'send an object with the fields of the profile to change' };
  for (const field of Object.keys(body)) {
    if (!Object.hasOwn(checks, field)) return { error: unknownField(field, Object.keys(checks)) };
    const problem = checks[field as keyof ProfilePatch](body[field], field);
    if (problem !== null) return { error: problem };
  }
  const patch: ProfilePatch = body;
  const { output_rules: output } = patch;
  return {
    patch: output === undefined || output === null ? patch : { ...patch, output_rules: wholeOutputRules(output) },
  };
}

/**
 * The reason why a stored profile cannot be enforced, or `null`. A gateway that reads a profile with a rule that it
 * does not know must not serve the agent by the rules that it happens to know.
 */
export function profileProblem(profile: unknown): string | null {
  if (!isPlainObject(profile)) return 'the profile is not an object';
  const read = readFields(profile, STORED_CHECKS);
  if ('error' in read) return read.error;
  for (const field of Object.keys(CHECKS)) {
    if (!Object.hasOwn(profile, field) && !OPTIONAL.has(field)) return `${field} is missing`;
  }
  const { output_rules: output } = profile as { readonly output_rules: Partial<OutputRules> | null };
  if (output !== null && !isWhole(output)) return 'a member of output_rules is missing';
  return conditionalProblem(profile);
}

const encoder = new TextEncoder();

/** Bytes of a profile in canonical JSON: another order of members has the same length. */
function canonicalLength(profile: BehaviorProfile): number {
  return encoder.encode(JSON.stringify(profile)).length;
}

/**
 * Why a profile is too large to be put in force, or `null`.
 * @param before the profile that it replaces: one from before the bound may become smaller
 */
export function profileSizeProblem(profile: BehaviorProfile, before: BehaviorProfile | null = null): string | null {
  const bytes = canonicalLength(profile);
  if (bytes <= MAX_PROFILE_BYTES || (before !== null && bytes <= canonicalLength(before))) return null;
  return `the profile would have ${bytes} bytes of canonical JSON, and ${MAX_PROFILE_BYTES} are the most`;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
