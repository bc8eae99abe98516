import { checkBody, nearNames } from '@countersign/contracts';
import type { CompiledRules } from '../judge/compile-rules.js';
import { expressionsOf, placeOfRead } from './expressions.js';
import { wholeFinding } from './finding.js';
import type { LintFinding } from './finding.js';
import { lintReach } from './lint-reach.js';

/** Units of an expression, of about 10 ns each, from which its cost is mentioned. */
const COSTLY = 50_000;
/** Combinations of values that are tried while a profile is saved: less than 0.1 s. */
const TRIES = 5_000;

/**
 * Findings that need no traffic and no schemas: rules without effect, misspelt members of the action, facts that are
 * never set or read, and costly expressions.
 * @param tries most combinations of values that are tried for all rules together; rules beyond them have no findings
 */
export function lintRules(compiled: CompiledRules, tries = TRIES): readonly LintFinding[] {
  return [
    ...lintReach(compiled, tries),
    ...actionFindings(compiled),
    ...factFindings(compiled),
    ...costFindings(compiled),
  ];
}

const ACTION_MEMBERS = Object.keys(checkBody.properties.action.properties);

/** Members of the action that resemble one of the contract: an action may have others, which no schema names. */
function actionFindings(compiled: CompiledRules): readonly LintFinding[] {
  return expressionsOf(compiled).flatMap((expression): readonly LintFinding[] => {
    const { place, index, program } = expression;
    const names = new Set(
      program.reads.filter((read) => read.startsWith('action.')).map((read) => read.split(/[.[]/)[1]!),
    );
    return [...names].flatMap((name): readonly LintFinding[] => {
      const [near] = ACTION_MEMBERS.includes(name) ? [] : nearNames(name, ACTION_MEMBERS);
      if (near === undefined) return [];
      const proposal = `action.${near}`;
      const message = `reads action.${name}, which no check has unless its caller adds it. Did you mean ${proposal}?`;
      const where = placeOfRead(expression, `action.${name}`, name);
      return [{ place, index, kind: 'unknown_member', ...where, message, proposal }];
    });
  });
}

function factFindings({ rules, facts }: CompiledRules): readonly LintFinding[] {
  const read = new Set(rules.flatMap((rule) => rule.facts));
  return facts.flatMap(({ member, setWhen }, index): readonly LintFinding[] => {
    const at = { place: `facts:${member.id}`, index };
    const isConstant = setWhen.reads.length === 0;
    const isNever = isConstant && setWhen.run({ values: {}, offsets: {} }) === false;
    const never = 'is never set: its condition is always false';
    return [
      ...(read.has(index)
        ? []
        : [wholeFinding(at, 'never_read', 'is read by no rule', `read facts.${member.id} in a rule, or remove it`)]),
      ...(isNever ? [wholeFinding(at, 'never_set', never, 'write when it is set into set_when')] : []),
    ];
  });
}

/** Largest cost of one evaluation of all expressions of a profile, in units of about 10 ns. */
export function expectedCost(compiled: CompiledRules): number {
  return expressionsOf(compiled).reduce((sum, { program }) => sum + program.cost, 0);
}

function costFindings(compiled: CompiledRules): readonly LintFinding[] {
  return expressionsOf(compiled)
    .filter(({ program }) => program.cost >= COSTLY)
    .map(({ place, index, member, program }) => {
      const message = `may take ${Math.round(program.cost / 100)} µs for each check that it applies to`;
      const proposal = 'name tools, so that it applies to fewer, or leave out a loop';
      return { place, index, kind: 'costly', member, position: null, message, proposal };
    });
}
