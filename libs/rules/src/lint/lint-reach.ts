import type { ArgumentMatcher } from '@countersign/contracts';
import type { Program } from '../cel/program.js';
import type { CompiledRule, CompiledRules } from '../judge/compile-rules.js';
import { allows, EFFECT_RANKS, modifiedBy, outcomeOf } from '../judge/judge-rules.js';
import type { RuleOutcome } from '../judge/judge-rules.js';
import type { Targets } from '../judge/scope-of-rule.js';
import { inputOf } from '../judge/variables.js';
import type { JudgedAction } from '../judge/variables.js';
import { wholeFinding } from './finding.js';
import type { LintFinding } from './finding.js';
import { MOST_COMPARISONS, RuleConditions } from './lint-conditions.js';

/** Most combinations of values that are tried for one rule, or for two. */
const MAX_COMBINATIONS = 4096;

/**
 * Rules of `args` alone that match no value, or every value, and rules that another one hides: found by trying them on
 * the values next to their bounds. The same of rules with `when` or `hours`, found by reasoning about their conditions, and
 * rules whose condition reads nothing, so that it holds never or always.
 * @param tries most combinations for all rules together: pairs of rules beyond them are not compared
 */
export function lintReach({ rules }: CompiledRules, tries: number): readonly LintFinding[] {
  const reach = new Reach(tries);
  const simple = rules.filter(isSimple).map((rule) => reach.of(rule));
  const reaches = new Map(simple.map((one) => [one.rule, one]));
  const conditions = rules.map((rule) => new RuleConditions(rule));
  const hiding = new Hiding(rules, conditions);
  return rules.flatMap((rule, index): readonly LintFinding[] => {
    const at = { place: `rules:${rule.member.id}`, index };
    const own = reaches.get(rule);
    if (own === undefined) {
      if (isNeverMet(rule)) {
        return [wholeFinding(at, 'never_matches', 'never denies: its condition holds for no action', REMOVE)];
      }
      if (isAlwaysMet(rule)) {
        const message = 'denies every action that it applies to: its condition is the same for all';
        return [wholeFinding(at, 'always_matches', message, 'leave out when, or write the condition into it')];
      }
      if (conditions[index]!.isNeverMet()) {
        const message = 'never denies: its conditions exclude each other';
        return [wholeFinding(at, 'never_matches', message, 'change a condition, or remove the rule')];
      }
      if (conditions[index]!.isAlwaysMet()) {
        const message = 'denies every action that it applies to, whatever its members are';
        return [wholeFinding(at, 'always_matches', message, 'change a condition, or deny the tool without conditions')];
      }
    }
    if (own !== undefined && rule.member.args !== undefined) {
      if (own.outcomes?.includes('denied') === false) {
        const message = 'never denies: its conditions exclude each other, or cover every value';
        return [wholeFinding(at, 'never_matches', message, 'change a matcher, or remove the rule')];
      }
      if (rule.member.patch !== undefined && reach.isStuck(own)) {
        const proposal = 'change patch, so that the rule finds nothing in the action after it';
        return [wholeFinding(at, 'patch_in_vain', 'denies every action that its patch leads to', proposal)];
      }
      if (own.present?.includes(null) === false) {
        const proposal = 'change a matcher, or deny the tool without args';
        return [wholeFinding(at, 'always_matches', 'denies every value of the members that it reads', proposal)];
      }
    }
    const tried = own && simple.find((other) => other !== own && reach.hides(other, own, simple));
    const by = tried?.rule ?? hiding.of(index);
    return by === null
      ? []
      : [wholeFinding(at, 'hidden', `has no effect: rules:${by.member.id} denies whatever it denies`, REMOVE)];
  });
}

const REMOVE = 'remove the rule';

/** Rules that another one hides, by their conditions. */
class Hiding {
  #left = MOST_COMPARISONS;

  constructor(
    private readonly rules: readonly CompiledRule[],
    private readonly conditions: readonly RuleConditions[],
  ) {}

  /** The rule that hides the one at `index`; `null`: none is known. Of two that find the same the first hides the other. */
  of(index: number): CompiledRule | null {
    const found = this.rules.findIndex(
      (_rule, other) => this.#hides(other, index) && (other < index || !this.#hides(index, other)),
    );
    return this.rules[found] ?? null;
  }

  #hides(other: number, own: number): boolean {
    const [one, two] = [this.rules[other]!, this.rules[own]!];
    const areTried = isSimple(one) && isSimple(two);
    if (other === own || areTried || !mayHide(one, two)) return false;
    const conditions = this.conditions[other]!;
    this.#left -= conditions.comparisons;
    return this.#left >= 0 && conditions.findsAllOf(this.conditions[own]!);
  }
}

/** By mode, effect and targets. A rule that people approve hides none: each needs an approval of its own. */
function mayHide(one: CompiledRule, own: CompiledRule): boolean {
  if (one.member.mode === 'observe' || one.member.effect === 'approve') return false;
  return isAsSevere(one, own) && covers(one.member, own.member);
}

function isNeverMet({ member, when, matchers }: CompiledRule): boolean {
  const result = constantOf(when);
  return member.effect === 'deny_unless' ? matchers === null && result === true : result === false;
}

/** An error denies as well. */
function isAlwaysMet({ member, when, matchers }: CompiledRule): boolean {
  const result = constantOf(when);
  if (result === undefined) return false;
  return member.effect === 'deny_unless' ? result !== true : matchers === null && result !== false;
}

/** A condition that reads nothing is the same for every action; `undefined` for one that reads something, or none. */
function constantOf(when: CompiledRule['when']): ReturnType<Program['run']> | undefined {
  if (when === null || when.reads.length > 0 || when.zones.length > 0) return undefined;
  return when.run({ values: {}, offsets: {} });
}

/** Its outcome depends on its matchers alone. */
const isSimple = ({ member, when }: CompiledRule): boolean => when === null && member.hours === undefined;

/** Values of each member that rules read. */
type Values = ReadonlyMap<string, readonly unknown[]>;

/** A rule by itself. */
interface OwnReach {
  readonly rule: CompiledRule;
  readonly values: Values;
  /** First names of the members that it reads: of `customer.id`, `customer`. */
  readonly names: ReadonlySet<string>;
  /** For each combination of its values; `null` where there are too many. */
  readonly outcomes: readonly RuleOutcome[] | null;
  /** Those of them in which no member is absent. */
  readonly present: readonly RuleOutcome[] | null;
}

/** Tries rules on values, until as many combinations as are allowed have been tried. */
class Reach {
  #left: number;

  constructor(tries: number) {
    this.#left = tries;
  }

  of(rule: CompiledRule): OwnReach {
    const values = valuesOf(rule);
    const names = new Set([...values.keys()].map((key) => key.split('.')[0]!));
    const samples = this.#combined(values);
    if (samples === null) return { rule, values, names, outcomes: null, present: null };
    const outcomes = samples.map((sample) => tried(rule, sample));
    const present = outcomes.filter((_, at) => samples[at]!.every(([, value]) => value !== ABSENT));
    return { rule, values, names, outcomes, present };
  }

  /** Reports whether the patch of a rule allows none of the actions that the rule denies. */
  isStuck({ rule, values }: OwnReach): boolean {
    const denied = this.#combined(values)?.filter((sample) => tried(rule, sample) === 'denied') ?? [];
    return (
      denied.length > 0 && denied.map(judgedSample).every((judged) => !allows(rule, judged, modifiedBy(rule, judged)))
    );
  }

  /** All combinations of the values; `null` where there are too many. */
  #combined(values: Values): readonly Sample[] | null {
    const count = [...values.values()].reduce((product, all) => product * all.length, 1);
    if (count > Math.min(MAX_COMBINATIONS, this.#left)) return null;
    this.#left -= count;
    let samples: readonly Sample[] = [[]];
    for (const [key, all] of values) {
      samples = samples.flatMap((one) => all.map((value) => [...one, [key, value] as const]));
    }
    return samples;
  }

  /** Reports whether `other` denies whatever `own` denies, and of two that deny the same is the first. */
  hides(other: OwnReach, own: OwnReach, order: readonly OwnReach[]): boolean {
    const [one, two] = [other.rule, own.rule];
    if (!mayHide(one, two)) return false;
    const denied = readsApart(other, own) ? deniedApart(other, own) : this.#deniedTogether(other, own);
    if (denied === null || denied === 'other') return false;
    const isSame = denied === 'same' && covers(two.member, one.member) && isAsSevere(two, one);
    return !isSame || order.indexOf(other) < order.indexOf(own);
  }

  #deniedTogether(other: OwnReach, own: OwnReach): Denied | null {
    const values = new Map(other.values);
    for (const [key, all] of own.values) values.set(key, [...new Set([...(values.get(key) ?? []), ...all])]);
    const samples = this.#combined(values);
    if (samples === null) return null;
    let isSame = true;
    for (const sample of samples) {
      const isDenied = tried(own.rule, sample) !== null;
      if (isDenied === (tried(other.rule, sample) !== null)) continue;
      if (isDenied) return 'other';
      isSame = false;
    }
    return isSame ? 'same' : 'less';
  }
}

const judgedSample = (sample: Sample): JudgedAction => ({
  action: { type: 'tool_use', payload: payloadOf(sample) },
  agent: { id: '' },
  time: 0,
});

function tried(rule: CompiledRule, sample: Sample): RuleOutcome {
  return outcomeOf(rule, inputOf(judgedSample(sample)));
}

/** The actions that a rule denies, compared with those of another: all of it is denied by the other as well (`less`, `same`), or not. */
type Denied = 'same' | 'less' | 'other';

/** Rules that read no common member: every outcome of the one occurs together with every outcome of the other. */
function readsApart(one: OwnReach, two: OwnReach): boolean {
  return [...one.names].every((name) => !two.names.has(name));
}

function deniedApart({ outcomes: by }: OwnReach, { outcomes: own }: OwnReach): Denied | null {
  if (by === null || own === null) return null;
  const [isAlways, isNever] = [!by.includes(null), own.every((outcome) => outcome === null)];
  if (!isAlways && !isNever) return 'other';
  return (isAlways && !own.includes(null)) || (isNever && by.every((outcome) => outcome === null)) ? 'same' : 'less';
}

function isAsSevere(one: CompiledRule, two: CompiledRule): boolean {
  const [rank, other] = [EFFECT_RANKS[one.member.effect], EFFECT_RANKS[two.member.effect]];
  return rank === other ? one.severity <= two.severity : rank < other;
}

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

/** Values of each member that a rule reads: those on both sides of each bound, and one that it does not name. */
function valuesOf({ member }: CompiledRule): Values {
  const entries = Object.entries(member.args ?? {});
  return new Map(entries.map(([key, matcher]) => [key, [...new Set([ABSENT, ...samplesOf(matcher)])]]));
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
