import type { ArgumentMatcher, RuleEffect, RuleMember } from '@countersign/contracts';
import { literalText, memberText, presenceText } from '../cel/syntax.js';

/** One matcher of a rule as CEL. */
export interface MatcherText {
  /** Place in the rule: `args.amount.max`, `hours`. */
  readonly place: string;
  readonly cel: string;
}

type Scalar = string | number | boolean;
type Condition = Exclude<keyof ArgumentMatcher, 'absent' | 'present'>;

const SAFE = Number.MAX_SAFE_INTEGER;

/** Whole numbers are written as such: comparisons and `in` read them as the doubles of JSON. */
const scalarText = (value: Scalar): string =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= SAFE && !Object.is(value, -0)
    ? String(value)
    : literalText(value);

const listText = (values: readonly Scalar[]): string => `[${values.map(scalarText).join(', ')}]`;

const CONDITIONS: { readonly [K in Condition]: (read: string, value: NonNullable<ArgumentMatcher[K]>) => string } = {
  max: (read, value) => `${read} <= ${scalarText(value)}`,
  min: (read, value) => `${read} >= ${scalarText(value)}`,
  one_of: (read, values) => `${read} in ${listText(values)}`,
  not_one_of: (read, values) => `!(${read} in ${listText(values)})`,
  prefix: (read, value) => `${read}.startsWith(${literalText(value)})`,
  under: (read, folders) => `under(${read}, ${listText(folders)})`,
  host_in: (read, entries) => `host_in(${read}, ${listText(entries)})`,
  domain_in: (read, domains) => `domain_in(${read}, ${listText(domains)})`,
  read_only_sql: (read) => `read_only_sql(${read})`,
  max_length: (read, value) => `size(${read}) <= ${value}`,
};

/** Names of a dotted path into the arguments. */
const pathOfKey = (key: string): readonly string[] => ['args', ...key.split('.')];

/**
 * The matchers of `args`, one CEL condition for each: all must hold. For `deny_unless` a member that is missing makes
 * the condition false; for other effects it is an error, unless the matcher says `"absent":"allow"`.
 */
function matcherTexts(args: Readonly<Record<string, ArgumentMatcher>>, effect: RuleEffect): readonly MatcherText[] {
  return Object.entries(args).flatMap(([key, matcher]) => keyTexts(key, matcher, effect));
}

function keyTexts(key: string, matcher: ArgumentMatcher, effect: RuleEffect): readonly MatcherText[] {
  const path = pathOfKey(key);
  const texts: MatcherText[] = [];
  if (matcher.present === true) texts.push({ place: `args.${key}.present`, cel: presence(path) });
  if (matcher.absent === true) texts.push({ place: `args.${key}.absent`, cel: `!(${presence(path)})` });
  for (const name of Object.keys(CONDITIONS) as Condition[]) {
    const value = matcher[name];
    if (value === undefined) continue;
    const compile = CONDITIONS[name] as (read: string, value: unknown) => string;
    const condition =
      name === 'domain_in' ? recipients(path, (read) => compile(read, value)) : compile(memberText(path), value);
    texts.push({ place: `args.${key}.${name}`, cel: guarded(path, condition, effect, matcher.absent === 'allow') });
  }
  return texts;
}

function guarded(path: readonly string[], condition: string, effect: RuleEffect, mayBeAbsent: boolean): string {
  if (effect === 'deny_unless') {
    return mayBeAbsent ? `!(${presence(path)}) || ${condition}` : `${presence(path)} && ${condition}`;
  }
  return mayBeAbsent ? `${presence(path)} && ${condition}` : condition;
}

/** Tests of all members of a path: `has(args.a) && has(args.a.b)`. */
function presence(path: readonly string[]): string {
  return path
    .slice(1)
    .map((_, at) => presenceText(path.slice(0, at + 2)))
    .join(' && ');
}

/** A condition on `to` applies to `cc` and `bcc` of the same object, which may be absent or empty. */
function recipients(path: readonly string[], condition: (read: string) => string): string {
  const first = condition(memberText(path));
  if (path.at(-1) !== 'to') return first;
  const copies = ['cc', 'bcc'].map((name) => {
    const copy = [...path.slice(0, -1), name];
    return `(!${presenceText(copy)} || ${memberText(copy)} in [null, '', []] || ${condition(memberText(copy))})`;
  });
  return [first, ...copies].join(' && ');
}

/** The condition of `hours`; `null` where a rule has none. */
function hoursText(hours: RuleMember['hours']): MatcherText | null {
  if (hours === undefined) return null;
  const { zone, days = 'daily', inside, outside } = hours;
  const call = (times: string): string =>
    `hours(request.time, ${literalText(zone)}, ${literalText(days)}, ${literalText(times)})`;
  if (inside !== undefined) return { place: 'hours', cel: call(inside) };
  return { place: 'hours', cel: `!${call(outside ?? '00:00-24:00')}` };
}

/** All conditions of a rule as CEL, one for each matcher, then `hours` and `when`: all of them must hold. */
export function ruleTexts(rule: RuleMember): readonly MatcherText[] {
  const hours = hoursText(rule.hours);
  return [
    ...(rule.args === undefined ? [] : matcherTexts(rule.args, rule.effect)),
    ...(hours === null ? [] : [hours]),
    ...(rule.when === undefined ? [] : [{ place: 'when', cel: rule.when }]),
  ];
}

/** Conditions that must all hold, as one. */
export function conjunction(texts: readonly string[]): string {
  return texts.length === 1
    ? texts[0]!
    : texts.map((text) => (text.includes('||') || text.includes('?') ? `(${text})` : text)).join(' && ');
}
