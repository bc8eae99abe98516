/**
 * Static type of an expression. `json` is a value of the action as JSON gives it: its numbers are IEEE doubles, and
 * nothing else is known about it. `dyn` may also hold an integer of CEL.
 */
export interface Type {
  readonly kind: Kind;
  /** Of the elements of a list, or of the values of a map. */
  readonly item?: Type;
}

export type Kind =
  'int' | 'double' | 'string' | 'bool' | 'null' | 'timestamp' | 'duration' | 'list' | 'map' | 'json' | 'dyn';

/** Offsets in the text of the expression, in UTF-16 units; `end` is exclusive. Parentheses around it are not in it. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export type Literal = string | number | bigint | boolean | null;
export type ArithmeticOp = '+' | '-' | '*' | '/' | '%';
export type ComparisonOp = '<' | '<=' | '>' | '>=';
export type BinaryOp = ArithmeticOp | ComparisonOp | '==' | '!=' | 'in';
export const MACROS = ['all', 'exists', 'exists_one', 'map', 'filter'] as const;
export type Macro = (typeof MACROS)[number];

/** Syntax tree of `cel/1`. */
export type Node = Range &
  (
    | { readonly op: 'literal'; readonly value: Literal }
    | { readonly op: 'variable'; readonly name: string }
    /** `of.name`, and `of['name']`. */
    | { readonly op: 'member'; readonly of: Node; readonly name: string }
    | { readonly op: 'index'; readonly of: Node; readonly key: Node }
    /** `has(of.name)`. */
    | { readonly op: 'has'; readonly of: Node; readonly name: string }
    /** The receiver of a method is its first argument. */
    | { readonly op: 'call'; readonly name: string; readonly method: boolean; readonly args: readonly Node[] }
    | { readonly op: 'not' | 'negate'; readonly of: Node }
    | { readonly op: 'and' | 'or'; readonly left: Node; readonly right: Node }
    | { readonly op: 'binary'; readonly sign: BinaryOp; readonly left: Node; readonly right: Node }
    | { readonly op: 'if'; readonly test: Node; readonly yes: Node; readonly no: Node }
    | { readonly op: 'list'; readonly items: readonly Node[] }
    | { readonly op: 'map'; readonly entries: readonly (readonly [key: Node, value: Node])[] }
    /** `over.all(item, body)`; `filter` is the second argument of `map` with three. */
    | {
        readonly op: 'macro';
        readonly macro: Macro;
        readonly over: Node;
        readonly item: string;
        readonly filter: Node | null;
        readonly body: Node;
      }
  );

/** Why an expression is refused. */
export interface CelProblem {
  readonly code: ProblemCode;
  readonly range: Range;
  /** A sentence without its subject and full stop: "is longer than 1,024 characters". It may quote the expression. */
  readonly message: string;
  /** The expression, or the part of it, that would be accepted; `null` where none is known. */
  readonly proposal: string | null;
}

export type ProblemCode =
  | 'syntax'
  | 'too_long'
  | 'too_deep'
  | 'too_costly'
  | 'unknown_variable'
  | 'unknown_member'
  | 'unknown_function'
  | 'type'
  | 'pattern'
  | 'may_be_absent'
  | 'not_bool';

/** Thrown within this folder and returned by `compileCel` as its problem. */
export class Refusal extends Error {
  constructor(readonly problem: CelProblem) {
    super(problem.message);
  }
}

export function refuse(code: ProblemCode, range: Range, message: string, proposal: string | null = null): never {
  throw new Refusal({ code, range: { start: range.start, end: range.end }, message, proposal });
}

/** The direct parts of a node, in the order of evaluation. */
export function partsOf(node: Node): readonly Node[] {
  switch (node.op) {
    case 'literal':
    case 'variable':
      return [];
    case 'member':
    case 'has':
    case 'not':
    case 'negate':
      return [node.of];
    case 'index':
      return [node.of, node.key];
    case 'call':
      return node.args;
    case 'and':
    case 'or':
    case 'binary':
      return [node.left, node.right];
    case 'if':
      return [node.test, node.yes, node.no];
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flat();
    case 'macro':
      return node.filter === null ? [node.over, node.body] : [node.over, node.filter, node.body];
  }
}

/** The chain of members that a node reads, beginning with a variable: `['args', 'to']`; `null` for any other node. */
export function pathOf(node: Node): readonly string[] | null {
  if (node.op === 'variable') return [node.name];
  if (node.op !== 'member') return null;
  const of = pathOf(node.of);
  return of === null ? null : [...of, node.name];
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const RESERVED = new Set(
  (
    'as break const continue else false for function if import in let loop null package namespace return true var void ' +
    'while __proto__ prototype'
  ).split(' '),
);

/** Reports whether a name may be written after a dot. */
export function isIdentifier(name: string): boolean {
  return IDENTIFIER.test(name) && !RESERVED.has(name);
}

/** A literal of CEL. Numbers that are whole are written as doubles. */
export function literalText(value: Literal): string {
  if (typeof value === 'string') {
    // The escapes of JSON are escapes of CEL.
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) return String(value);
  const text = String(value);
  return text.includes('e') ? text : `${text}.0`;
}

/** `args.to`, or `args['x-y']`. */
export function memberText(path: readonly string[]): string {
  return path.reduce((text, name, at) =>
    at === 0 ? name : isIdentifier(name) ? `${text}.${name}` : `${text}[${literalText(name)}]`,
  );
}

/** The test that the last member of a path is present: `has(args.to)`, or `'x-y' in args`. */
export function presenceText(path: readonly string[]): string {
  const name = path.at(-1)!;
  return isIdentifier(name) ? `has(${memberText(path)})` : `${literalText(name)} in ${memberText(path.slice(0, -1))}`;
}
