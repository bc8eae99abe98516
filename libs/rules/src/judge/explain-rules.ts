import type { Clause } from '../cel/clauses.js';
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
  /** The condition under which the rule denies nothing, as CEL; `null` where it denies always, or denies nothing now. */
  readonly would_allow: string | null;
}

/**
 * Every rule of a profile by itself, clause by clause.
 * @param facts values of the facts by id, as the counters hold them; an absent one is not set
 */
export function explainRules(
  compiled: CompiledRules,
  judged: JudgedAction,
  facts: Readonly<Record<string, boolean>> = {},
): readonly ExplainedRule[] {
  const all = Object.fromEntries(
    compiled.facts.map(({ member: { id } }) => [id, Object.hasOwn(facts, id) && facts[id] === true]),
  );
  const input = inputOf(judged, all);
  const applies = new Set(compiled.ruleIndex.match(judged.action));
  return compiled.rules.map((rule, at) => {
    const { member, matchers, when } = rule;
    const about = {
      rule: `rules:${member.id}`,
      mode: member.mode ?? 'enforce',
      reads: [...new Set([...(matchers?.reads ?? []), ...(when?.reads ?? [])])],
    };
    if (!applies.has(at)) return { ...about, result: 'not_applicable', code: null, clauses: [], would_allow: null };
    const outcome = outcomeOf(rule, input);
    const byMatchers = matchers === null ? true : matchers.run(input);
    const isDecided = byMatchers === false || (member.effect === 'deny_unless' && byMatchers !== true);
    const clauses = [...(matchers?.explain(input) ?? []), ...whenClauses(rule, isDecided, input)];
    return {
      ...about,
      result: outcome === null ? 'passed' : outcome === 'denied' ? 'matched' : 'error',
      code: outcome === null || outcome === 'denied' ? null : outcome,
      clauses,
      would_allow: outcome === null ? null : wouldAllow(rule),
    };
  });
}

/** Where the matchers have decided, `when` is not reached. */
function whenClauses({ when }: CompiledRule, isDecided: boolean, input: ReturnType<typeof inputOf>): readonly Clause[] {
  const clauses = when?.explain(input) ?? [];
  return isDecided ? clauses.map(({ text }) => ({ text, result: 'not_reached' })) : clauses;
}

function wouldAllow({ member }: CompiledRule): string | null {
  const texts = ruleTexts(member).map(({ cel }) => cel);
  if (texts.length === 0) return null;
  return member.effect === 'deny_unless' ? conjunction(texts) : `!(${conjunction(texts)})`;
}
