import type { ArgumentMatcher } from '@countersign/contracts';
import type { CompiledRule, CompiledRules } from '../judge/compile-rules.js';
import { outcomeOf } from '../judge/judge-rules.js';
import type { RuleOutcome } from '../judge/judge-rules.js';
import type { Targets } from '../judge/scope-of-rule.js';
import { inputOf } from '../judge/variables.js';
import { wholeFinding } from './finding.js';
import type { LintFinding } from './finding.js';

/** Most combinations of values that are tried for one rule, or for two. */
const MAX_COMBINATIONS = 4096;

/**
 * Rules of `args` alone that match no value, or every value, and rules that another one hides: found by trying them on
 * the values next to their bounds. Also rules whose condition reads nothing and never holds.
 * @param tries most combinations for all rules together: pairs of rules beyond them are not compared
 */
export function lintReach({ rules }: CompiledRules, tries: number): readonly LintFinding[] {
  const simple = rules.filter(isSimple);
  const tried: Tried = { left: tries };
  return rules.flatMap((rule, index): readonly LintFinding[] => {
    const at = { place: `rules:${rule.member.id}`, index };
    if (!isSimple(rule)) {
      return isNeverMet(rule)
        ? [wholeFinding(at, 'never_matches', 'never denies: its condition holds for no action', REMOVE)]
        : [];
    }
    if (rule.member.args !== undefined) {
      const own = outcomes(rule, samples([rule]), tried);
      if (own?.includes('denied') === false) {
        const message = 'never denies: its conditions exclude each other, or cover every value';
        return [wholeFinding(at, 'never_matches', message, 'change a matcher, or remove the rule')];
      }
      const present = outcomes(rule, samples([rule]), tried, true);
      if (present?.includes(null) === false) {
        const proposal = 'change a matcher, or deny the tool without args';
        return [wholeFinding(at, 'always_matches', 'denies every value of the members that it reads', proposal)];
      }
    }
    const by = simple.find((other) => other !== rule && hides(other, rule, simple, tried));
    return by === undefined
      ? []
      : [wholeFinding(at, 'hidden', `has no effect: rules:${by.member.id} denies whatever it denies`, REMOVE)];
  });
}

const REMOVE = 'remove the rule';

/** Combinations that may still be tried. */
interface Tried {
  left: number;
}

/** A condition that reads nothing is the same for every action. */
function isNeverMet({ member, when, matchers }: CompiledRule): boolean {
  if (when === null || when.reads.length > 0 || when.zones.length > 0) return false;
  const result = when.run({ values: {}, offsets: {} });
  return member.effect === 'deny_unless' ? matchers === null && result === true : result === false;
}

/** Its outcome depends on its matchers alone. */
const isSimple = ({ member, when }: CompiledRule): boolean => when === null && member.hours === undefined;

function hides(other: CompiledRule, rule: CompiledRule, order: readonly CompiledRule[], left: Tried): boolean {
  if (other.member.mode === 'observe' || !isAsSevere(other, rule) || !covers(other.member, rule.member)) return false;
  const tried = samples([other, rule]);
  const [by, own] = [outcomes(other, tried, left), outcomes(rule, tried, left)];
  if (by === null || own === null || own.some((outcome, at) => outcome !== null && by[at] === null)) return false;
  // Of two that deny the same, the later one is hidden.
  const isSame =
    own.every((outcome, at) => (outcome === null) === (by[at] === null)) &&
    covers(rule.member, other.member) &&
    isAsSevere(rule, other);
  return !isSame || order.indexOf(other) < order.indexOf(rule);
}

const isAsSevere = (one: CompiledRule, two: CompiledRule): boolean =>
  (one.member.effect === 'approve') === (two.member.effect === 'approve')
    ? one.severity <= two.severity
    : two.member.effect === 'approve';

/** Reports whether every action that `two` applies to is one of `one`. */
function covers(one: Targets, two: Targets): boolean {
  return coversNames(one.tools, two.tools) && coversNames(one.types, two.types);
}

function coversNames(one: readonly string[] | undefined, two: readonly string[] | undefined): boolean {
  if (one === undefined) return true;
  if (two === undefined) return false;
  return two.every((name) =>
    one.some((entry) => entry === name || (entry.endsWith('*') && name.startsWith(entry.slice(0, -1)))),
  );
}

const ABSENT = Symbol('absent');
type Sample = readonly (readonly [key: string, value: unknown])[];

/** Outcome of a rule for each combination; `null` where there are too many. @param present without absent members */
function outcomes(
  rule: CompiledRule,
  values: ReadonlyMap<string, readonly unknown[]>,
  tried: Tried,
  present = false,
): readonly RuleOutcome[] | null {
  const lists = [...values].map(
    ([key, all]) => [key, present ? all.filter((value) => value !== ABSENT) : all] as const,
  );
  const count = lists.reduce((product, [, all]) => product * all.length, 1);
  if (count > Math.min(MAX_COMBINATIONS, tried.left)) return null;
  tried.left -= count;
  let combinations: readonly Sample[] = [[]];
  for (const [key, all] of lists) {
    combinations = combinations.flatMap((one) => all.map((value) => [...one, [key, value] as const]));
  }
  return combinations.map((one) => {
    const action = { type: 'tool_use', payload: payloadOf(one) };
    return outcomeOf(rule, inputOf({ action, agent: { id: '' }, time: 0 }));
  });
}

function payloadOf(sample: Sample): Readonly<Record<string, unknown>> {
  const payload: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of sample) {
    if (value === ABSENT) continue;
    const names = key.split('.');
    let at = payload;
    for (const name of names.slice(0, -1)) at = (at[name] ??= Object.create(null)) as Record<string, unknown>;
    at[names.at(-1)!] = value;
  }
  return payload;
}

/** Values of each member that the rules read: those on both sides of each bound, and one that no rule names. */
function samples(rules: readonly CompiledRule[]): ReadonlyMap<string, readonly unknown[]> {
  const values = new Map<string, unknown[]>();
  for (const { member } of rules) {
    for (const [key, matcher] of Object.entries(member.args ?? {})) {
      const all = values.get(key) ?? [ABSENT];
      values.set(key, [...new Set([...all, ...samplesOf(matcher)])]);
    }
  }
  return values;
}

function samplesOf(matcher: ArgumentMatcher): readonly unknown[] {
  const { min, max, one_of: some = [], not_one_of: none = [], prefix, under = [], host_in: hosts = [] } = matcher;
  const { domain_in: domains = [], max_length: length, read_only_sql: sql } = matcher;
  const around = [min, max].flatMap((bound) => (bound === undefined ? [] : [bound - 1, bound, bound + 1]));
  const between = min !== undefined && max !== undefined ? [(min + max) / 2] : [];
  const texts = [
    ...(prefix === undefined ? [] : [prefix, `${prefix}x`]),
    ...under.flatMap((folder) => [folder, `${folder}/x`]),
    ...hosts.map((entry) => (/^https?:/.test(entry) ? entry : `https://${entry.replace('*', 'x')}/`)),
    ...domains.map((domain) => `a@${domain.replace('*', 'x')}`),
    ...(sql === true ? ['SELECT 1', 'DELETE FROM t'] : []),
    ...(length === undefined ? [] : ['x'.repeat(length), 'x'.repeat(length + 1)]),
  ];
  return [...around, ...between, ...some, ...none, ...texts, 'another value', -1.5];
}
