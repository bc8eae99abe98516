import { checkTypes } from './check.js';
import type { Variables } from './check.js';
import { clausesOf } from './clauses.js';
import type { Clause } from './clauses.js';
import { compileNode } from './compile.js';
import type { Scope } from './evaluate.js';
import { checkCost } from './cost.js';
import { Fault, Fuel } from './fault.js';
import type { FaultCode } from './fault.js';
import type { Ports } from './function.js';
import { parseCel } from './parse.js';
import { checkPresence } from './presence.js';
import { readsOf } from './reads.js';
import { Refusal, refuse } from './syntax.js';
import type { CelProblem, Node, Type } from './syntax.js';
import type { Value } from './values.js';

/** The language of expressions: CEL's strings, numbers, lists, objects, times and macros, with nine functions of ours. */
export const DIALECT = 'cel/1';

export interface CelOptions {
  readonly variables: Variables;
  readonly ports: Ports;
  /** Refuses members that may be absent and are read without `has()`. */
  readonly presence: boolean;
  /** The expression must be a condition. */
  readonly condition: boolean;
  /** The text is generated from matchers, and may be longer. */
  readonly generated?: true;
}

/** Values of the declared variables, and the offsets of the zones that the program names. */
export interface CelInput {
  readonly values: Readonly<Record<string, Value>>;
  readonly offsets: Readonly<Record<string, number>>;
}

/** A compiled expression. It is pure, and never throws. */
export interface Program {
  /** The expression in standard CEL: whole numbers next to JSON numbers are written as doubles. */
  readonly text: string;
  /** Estimate of its largest cost, in units of about 10 ns. */
  readonly cost: number;
  /** Members that it reads, in order: `args.amount`, `args.items[].price`. */
  readonly reads: readonly string[];
  /** Time zones that it names. */
  readonly zones: readonly string[];
  readonly type: Type;
  /** The result of a condition, or the code of the fault. */
  readonly run: (input: CelInput) => boolean | FaultCode;
  /** The value, or a {@link Fault}. */
  readonly value: (input: CelInput) => Value;
  /** The result of each part of a condition. */
  readonly explain: (input: CelInput) => readonly Clause[];
}

/** Compiles an expression of {@link DIALECT}. It never throws: an expression that is refused is a problem. */
export function compileCel(
  text: string,
  options: CelOptions,
): { readonly program: Program } | { readonly problem: CelProblem } {
  try {
    return { program: compile(text, options) };
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.problem };
    throw error;
  }
}

function compile(text: string, { variables, ports, presence, condition, generated }: CelOptions): Program {
  const root = parseCel(text, generated === true ? 'generated' : 'written');
  const checked = checkTypes(root, text, variables);
  const type = checked.types.get(root)!;
  if (condition && type.kind !== 'bool' && type.kind !== 'json' && type.kind !== 'dyn') {
    refuse('not_bool', root, 'is not a condition: compare it with a value');
  }
  const cost = checkCost(root);
  if (presence) checkPresence(root, text, variables, (corrected) => checkedOrNull(corrected, variables));
  const evaluate = compileNode(root, checked, ports);
  const scope: Mutable<Scope> = { values: {}, offsets: {}, fuel: new Fuel(), item: undefined };
  const value = ({ values, offsets }: CelInput): Value => {
    scope.values = values;
    scope.offsets = offsets;
    scope.fuel.refill();
    return evaluate(scope);
  };
  let clauses: ReturnType<typeof clausesOf> | undefined;
  return {
    text: withDoubles(text, [...checked.doubles]),
    cost,
    ...readsOf(root),
    type,
    value,
    run: (input) => {
      const result = value(input);
      if (typeof result === 'boolean') return result;
      return result instanceof Fault ? result.code : Fault.wrongType.code;
    },
    explain: (input) => {
      clauses ??= clausesOf(root, text, (node) => compileNode(node, checked, ports));
      return clauses({ ...input, fuel: new Fuel(), item: undefined });
    },
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function checkedOrNull(text: string, variables: Variables): Node | null {
  try {
    const root = parseCel(text);
    checkTypes(root, text, variables);
    return root;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

function withDoubles(text: string, doubles: readonly Node[]): string {
  let written = text;
  for (const node of [...doubles].sort((a, b) => b.start - a.start)) {
    const digits = text.slice(node.start, node.end);
    // An integer has no negative zero.
    const double = /^-?0+$/.test(digits) ? '0.0' : /^-?\d+$/.test(digits) ? `${digits}.0` : `double(${digits})`;
    written = written.slice(0, node.start) + double + written.slice(node.end);
  }
  return written;
}
