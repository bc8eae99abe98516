import type { OutputRules } from '@countersign/contracts';
import { apiEntryProblem, nameEntryProblem } from '../entries/grammar.js';
import { isWhole, outputRulesProblem, wholeOutputRules } from './read-output-rules.js';
import type { ProfilePatch } from './profile-fields.js';

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

const CHECKS: Readonly<Record<keyof ProfilePatch, Check>> = {
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
  allowed_data_scopes: list(nameEntryProblem),
  blocked_data_scopes: list(nameEntryProblem),
  freeze_on_violation: flag,
  store_payload: flag,
  output_rules: outputRulesProblem,
};

/**
 * The body of `PATCH /v1/agents/{id}/profile`, judged whole: one wrong field and nothing of it holds.
 * The words of `error` say what to change and name the field and the place, never the value.
 */
export function readProfilePatch(body: unknown): { readonly patch: ProfilePatch } | { readonly error: string } {
  if (!isPlainObject(body)) return { error: 'send an object with the fields of the profile to change' };
  for (const field of Object.keys(body)) {
    if (!Object.hasOwn(CHECKS, field)) {
      return { error: `a profile has no such field; it has ${Object.keys(CHECKS).join(', ')}` };
    }
    const problem = CHECKS[field as keyof ProfilePatch](body[field], field);
    if (problem !== null) return { error: problem };
  }
  const patch: ProfilePatch = body;
  const { output_rules: output } = patch;
  return {
    patch: output === undefined || output === null ? patch : { ...patch, output_rules: wholeOutputRules(output) },
  };
}

/**
 * What keeps a stored profile from being enforced, or `null`. A gateway that reads a profile with a rule that it does
 * not know must not serve the agent by the rules that it happens to understand.
 */
export function profileProblem(profile: unknown): string | null {
  if (!isPlainObject(profile)) return 'the profile is not an object';
  const read = readProfilePatch(profile);
  if ('error' in read) return read.error;
  for (const field of Object.keys(CHECKS)) if (!Object.hasOwn(profile, field)) return `${field} is missing`;
  const { output_rules: output } = profile as { readonly output_rules: Partial<OutputRules> | null };
  return output === null || isWhole(output) ? null : 'a member of output_rules is missing';
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
