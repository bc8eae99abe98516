import { nearNames } from '@countersign/contracts';
import type { Variables } from '../cel/check.js';
import type { Ports } from '../cel/function.js';
import { compileCel } from '../cel/program.js';
import type { CompiledRules } from '../judge/compile-rules.js';
import { TargetIndex } from '../judge/scope-of-rule.js';
import { variablesOf } from '../judge/variables.js';
import { expressionsOf, placeOfRead } from './expressions.js';
import type { Expression } from './expressions.js';
import type { LintFinding } from './finding.js';
import { schemaAt, typeOfSchema } from './tool-schema.js';
import type { ToolSchema } from './tool-schema.js';

/**
 * Compares what the expressions of a profile read with the schemas of the tools that they apply to: members that a tool
 * does not have, and operands of another type than the tool takes.
 * @param schemas of the tools, by name
 */
export function lintSchemas(
  compiled: CompiledRules,
  schemas: Readonly<Record<string, ToolSchema>>,
  ports: Ports,
): readonly LintFinding[] {
  const facts = compiled.facts.map(({ member }) => member.id);
  const findings: LintFinding[] = [];
  for (const expression of expressionsOf(compiled)) {
    const index = new TargetIndex([expression.tools === undefined ? {} : { tools: expression.tools }]);
    for (const [tool, schema] of Object.entries(schemas)) {
      if (index.match({ tool_name: tool }).length === 0) continue;
      findings.push(...unknownMembers(expression, tool, schema), ...typeErrors(expression, tool, schema, facts, ports));
    }
  }
  return findings;
}

/** Names of a path as `reads` gives it, without the variable: `args.items[].price`. */
const pathOf = (read: string): readonly string[] => read.replaceAll('[]', '.[]').split('.').slice(1);

/** Copies of a mail are optional: `domain_in` reads them where they are present. */
const OPTIONAL = new Set(['cc', 'bcc']);

function unknownMembers(expression: Expression, tool: string, schema: ToolSchema): readonly LintFinding[] {
  const { place, index, program } = expression;
  return program.reads.flatMap((read): readonly LintFinding[] => {
    if (!read.startsWith('args.')) return [];
    const path = pathOf(read);
    const found = schemaAt(schema, path);
    if (found === null || !('missing' in found) || OPTIONAL.has(found.missing)) return [];
    const [near] = nearNames(found.missing, found.known);
    const right =
      near === undefined
        ? null
        : ['args', ...path.slice(0, found.at), near, ...path.slice(found.at + 1)].join('.').replaceAll('.[]', '[]');
    const hint = right === null ? `: it takes ${found.known.join(', ')}` : `. Did you mean ${right}?`;
    const message = `reads ${read}, which tool ${tool} does not take${hint}`;
    const where = placeOfRead(expression, read, found.missing);
    return [{ place, index, kind: 'unknown_member', ...where, message, proposal: right }];
  });
}

function typeErrors(
  { place, index, texts }: Expression,
  tool: string,
  schema: ToolSchema,
  facts: readonly string[],
  ports: Ports,
): readonly LintFinding[] {
  const variables: Variables = {
    ...variablesOf(facts),
    args: {
      kind: 'json',
      typeAt: (path) => {
        const found = schemaAt(schema, path);
        return found === null || 'missing' in found ? null : typeOfSchema(found.schema, schema);
      },
    },
  };
  for (const { member, cel } of texts) {
    const result = compileCel(cel, { variables, ports, presence: false, condition: false, generated: true });
    if ('problem' in result) {
      const message = `${result.problem.message}, by the schema of tool ${tool}`;
      return [{ place, index, kind: 'type', member, position: null, message, proposal: null }];
    }
  }
  return [];
}
