import type { CompiledRules } from '../judge/compile-rules.js';
import type { LintFinding } from './finding.js';
import { lintReach } from './lint-reach.js';

/** Findings that need no traffic and no schemas: rules without effect, and facts that are never set or read. */
export function lintRules(compiled: CompiledRules): readonly LintFinding[] {
  return [...lintReach(compiled), ...factFindings(compiled)];
}

function factFindings({ rules, facts }: CompiledRules): readonly LintFinding[] {
  const read = new Set(rules.flatMap((rule) => rule.facts));
  return facts.flatMap(({ member, setWhen }, at): readonly LintFinding[] => {
    const place = `facts:${member.id}`;
    const isConstant = setWhen.reads.length === 0;
    const isNever = isConstant && setWhen.run({ values: {}, offsets: {} }) === false;
    return [
      ...(read.has(at) ? [] : [{ place, kind: 'never_read', message: 'is read by no rule' } as const]),
      ...(isNever
        ? [{ place, kind: 'never_set', message: 'is never set: its condition is always false' } as const]
        : []),
    ];
  });
}
