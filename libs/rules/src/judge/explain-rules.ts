import type { Clause } from '../cel/clauses.js';
import type { CelInput } from '../cel/program.js';
import { conjunction, ruleTexts } from '../members/matchers.js';
import type { CompiledRule, CompiledRules } from './compile-rules.js';
import { outcomeOf } from './judge-rules.js';
import { inputOf } from './variables.js';
import type { JudgedAction } from './variables.js';

/** Result of one rule by itself. `clauses` and `would_allow` quote the policy, never the action. */
export interface ExplainedRule {
  readonly rule: string;
  readonly result: 'matched' | 'passed' | 'error' | 'not_applicable';
  /** Code of the error; `null` for other results. */
  readonly code: string | null;
  readonly mode: 'enforce' | 'observe';
  readonly clauses: readonly Clause[];
  /** Members that it reads: `args.amount`. */
  readonly reads: readonly string[];
  /** The facts that it reads; `set` is `null` where it is not known whether the fact was set. */
  readonly facts: readonly { readonly id: string; readonly set: boolean | null }[];
  /** The condition under which the rule denies nothing, as CEL; `null` where it denies always, or denies nothing now. */
  readonly would_allow: string | null;
}

/**
 * Every rule of a profile by itself, clause by clause.
 * @param facts values of the facts by id, as the counters hold them; `null`: not known; an absent one is not set
 */
export function explainRules(
  compiled: CompiledRules,
  judged: JudgedAction,
  facts: Readonly<Record<string, boolean | null>> = {},
): readonly ExplainedRule[] {
  const ids = compiled.facts.map(({ member: { id } }) => id);
  const valueOf = (id: string): boolean | null => (Object.hasOwn(facts, id) ? facts[id]! : false);
  const known = Object.fromEntries(ids.map((id) => [id, valueOf(id) === true]));
  const applies = new Set(compiled.ruleIndex.match(judged.action));
  return compiled.rules.map((rule, at) => {
    const { member, matchers, when } = rule;
    const read = rule.facts.map((position) => ids[position]!);
    const about = {
      rule: `rules:${member.id}`,
      mode: member.mode ?? 'enforce',
      reads: [...new Set([...(matchers?.reads ?? []), ...(when?.reads ?? [])])],
      facts: read.map((id) => ({ id, set: valueOf(id) })),
    };
    if (!applies.has(at)) return { ...about, result: 'not_applicable', code: null, clauses: [], would_allow: null };
    const worlds = assignments(read.filter((id) => valueOf(id) === null));
    const inputs = worlds.map((world) => inputOf(judged, { ...known, ...world }));
    const outcome = outcomeOf(rule, inputs[0]!);
    return {
      ...about,
      result: outcome === null ? 'passed' : outcome === 'denied' ? 'matched' : 'error',
      code: outcome === null || outcome === 'denied' ? null : outcome,
      clauses: inWhatAllAgree(inputs.map((input) => clausesIn(rule, input))),
      would_allow: outcome === null ? null : wouldAllow(rule),
    };
  });
}

/** All values of facts that are not known; one without any where all are known. */
function assignments(ids: readonly string[]): readonly Readonly<Record<string, boolean>>[] {
  return ids.reduce<readonly Readonly<Record<string, boolean>>[]>(
    (all, id) => all.flatMap((one) => [false, true].map((set) => ({ ...one, [id]: set }))),
    [{}],
  );
}

function clausesIn(rule: CompiledRule, input: CelInput): readonly Clause[] {
  const byMatchers = rule.matchers === null ? true : rule.matchers.run(input);
  const isDecided = byMatchers === false || (rule.member.effect === 'deny_unless' && byMatchers !== true);
  return [...(rule.matchers?.explain(input) ?? []), ...whenClauses(rule, isDecided, input)];
}

/** The clauses with their results, which are `unknown` where they differ, whenever they are reached. */
function inWhatAllAgree(all: readonly (readonly Clause[])[]): readonly Clause[] {
  return all[0]!.map(({ text }, at) => {
    const results = new Set(all.map((clauses) => clauses[at]!.result));
    if (results.size > 1) results.delete('not_reached');
    const [result, ...others] = results;
    return { text, result: others.length === 0 ? result! : 'unknown' };
  });
}

/** Where the matchers have decided, `when` is not reached. */
function whenClauses({ when }: CompiledRule, isDecided: boolean, input: CelInput): readonly Clause[] {
  const clauses = when?.explain(input) ?? [];
  return isDecided ? clauses.map(({ text }) => ({ text, result: 'not_reached' })) : clauses;
}

function wouldAllow({ member }: CompiledRule): string | null {
  const texts = ruleTexts(member).map(({ cel }) => cel);
  if (texts.length === 0) return null;
  return member.effect === 'deny_unless' ? conjunction(texts) : `!(${conjunction(texts)})`;
}
