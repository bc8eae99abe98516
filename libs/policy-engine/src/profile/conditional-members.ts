import type { BehaviorProfile } from '@countersign/contracts';
import { compileRules, problemText, readMembers } from '@countersign/rules';
import type { CompiledRules, MemberProblem, Ports } from '@countersign/rules';
import { addressMatcher } from '../entries/address-matcher.js';

type Conditional = Pick<BehaviorProfile, 'rules' | 'facts' | 'limits'>;

/** Entries of `host_in` are those of `allowed_apis`. */
export const HOST_PORTS: Ports = { hosts: addressMatcher };

type Result = ReturnType<typeof compileRules>;

/** Most results that are kept: agents of one kind have the same rules. */
const MOST_RESULTS = 256;
/** By their text. */
const results = new Map<string, Result>();

function compiled({ rules, facts, limits }: Conditional): Result {
  const members = {
    ...(rules === undefined ? {} : { rules }),
    ...(facts === undefined ? {} : { facts }),
    ...(limits === undefined ? {} : { limits }),
  };
  const text = JSON.stringify(members);
  let result = results.get(text);
  if (result !== undefined) return result;
  result = compileRules(members, HOST_PORTS);
  if (results.size >= MOST_RESULTS) results.clear();
  results.set(text, result);
  return result;
}

function hasNone({ rules, facts, limits }: Conditional): boolean {
  return rules === undefined && facts === undefined && limits === undefined;
}

/** The compiled rules, facts and limits of a profile, or the problems of them; `null` for none. */
export function compiledMembers(profile: Conditional): Result | null {
  return hasNone(profile) ? null : compiled(profile);
}

/** The compiled rules, facts and limits of a profile; `null` for none. @throws RangeError for one that is refused */
export function conditionalRules(profile: Conditional): CompiledRules | null {
  if (hasNone(profile)) return null;
  const result = compiled(profile);
  if ('problems' in result) throw new RangeError(wordsOf(result.problems));
  return result.compiled;
}

/** Why rules, facts and limits of a profile cannot be put in force together: every problem, or `null`. */
export function conditionalProblem(profile: Conditional): string | null {
  if (hasNone(profile)) return null;
  const result = compiled(profile);
  return 'problems' in result ? wordsOf(result.problems) : null;
}

/** The form of one of these fields by itself; `null` unsets it. */
export function membersProblem(value: unknown, field: string): string | null {
  if (value === null) return null;
  const read = readMembers({ [field]: value });
  return 'problems' in read ? wordsOf(read.problems) : null;
}

const MOST_PROBLEMS = 5;

function wordsOf(problems: readonly MemberProblem[]): string {
  const shown = problems.slice(0, MOST_PROBLEMS).map(problemText);
  const more = problems.length - shown.length;
  return more === 0 ? shown.join('; ') : `${shown.join('; ')}; and ${more} more`;
}
