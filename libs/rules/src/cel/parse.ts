import { Environment } from '@marcbachmann/cel-js';
import type { BinaryOp, Macro, Node, Range } from './syntax.js';
import { MACROS, refuse } from './syntax.js';

const MAX_EXPRESSION_LENGTH = 1024;
const MAX_NODES = 200;
const MAX_DEPTH = 32;

/** A node as the parser gives it. */
interface Parsed extends Range {
  readonly op: string;
  readonly args: unknown;
}

/** Bounds of an expression: those of a policy, and of the text that its matchers are compiled to. */
const BOUNDS = {
  written: { length: MAX_EXPRESSION_LENGTH, nodes: MAX_NODES },
  generated: { length: 131_072, nodes: 8000 },
} as const;
export type Origin = keyof typeof BOUNDS;

const environments = { written: environmentOf(MAX_NODES), generated: environmentOf(BOUNDS.generated.nodes) };

function environmentOf(nodes: number): Environment {
  return new Environment({
    unlistedVariablesAreDyn: true,
    limits: {
      maxAstNodes: nodes,
      maxDepth: MAX_DEPTH,
      maxListElements: MAX_NODES,
      maxMapEntries: MAX_NODES,
      maxCallArguments: 8,
    },
  });
}

const BINARY: ReadonlySet<string> = new Set<BinaryOp>([
  '+',
  '-',
  '*',
  '/',
  '%',
  '<',
  '<=',
  '>',
  '>=',
  '==',
  '!=',
  'in',
]);
const MACRO_NAMES: ReadonlySet<string> = new Set<Macro>(MACROS);

/**
 * Parses an expression (CEL language definition, "Syntax"). @throws Refusal for a syntax error, bytes and unsigned
 * integers, which the dialect does not have, and an expression beyond the bounds
 */
export function parseCel(text: string, origin: Origin = 'written'): Node {
  const { length: most } = BOUNDS[origin];
  if (text.length > most) {
    refuse('too_long', { start: most, end: text.length }, `is longer than ${most} characters`);
  }
  let parsed: Parsed;
  try {
    parsed = environments[origin].parse(text).ast;
  } catch (error) {
    return refuseParse(error, text);
  }
  return new Reader(text).read(parsed);
}

function refuseParse(error: unknown, text: string): never {
  const { code, range, summary } = error as { code?: unknown; range?: Range; summary?: unknown };
  const at = range ?? { start: 0, end: text.length };
  if (code === 'limit_exceeded') refuse('too_deep', at, `has more than ${MAX_NODES} parts, or is nested too deeply`);
  refuse('syntax', at, `is not CEL: ${typeof summary === 'string' ? summary : 'it cannot be parsed'}`);
}

class Reader {
  readonly #pairs: readonly (readonly [open: number, close: number])[];

  constructor(text: string) {
    this.#pairs = pairsOf(text);
  }

  /** Recursion is bounded by the number of nodes. */
  read(node: Parsed): Node {
    const range = this.#balanced(node);
    const { op, args } = node;
    const read = (one: unknown): Node => this.read(one as Parsed);
    const list = args as readonly unknown[];
    switch (op) {
      case 'value':
        return { ...range, op: 'literal', value: literalOf(args, range) };
      case 'id':
        return { ...range, op: 'variable', name: args as string };
      case '.':
        return { ...range, op: 'member', of: read(list[0]), name: list[1] as string };
      case '[]': {
        const of = read(list[0]);
        const key = read(list[1]);
        return key.op === 'literal' && typeof key.value === 'string'
          ? { ...range, op: 'member', of, name: key.value }
          : { ...range, op: 'index', of, key };
      }
      case '!_':
        return { ...range, op: 'not', of: read(args) };
      case '-_':
        return negated(range, read(args));
      case '&&':
      case '||':
        return { ...range, op: op === '&&' ? 'and' : 'or', left: read(list[0]), right: read(list[1]) };
      case '?:':
        return { ...range, op: 'if', test: read(list[0]), yes: read(list[1]), no: read(list[2]) };
      case 'list':
        return { ...range, op: 'list', items: list.map(read) };
      case 'map':
        return {
          ...range,
          op: 'map',
          entries: (list as readonly (readonly unknown[])[]).map(([key, value]) => [read(key), read(value)] as const),
        };
      case 'call':
        return this.#call(range, list[0] as string, null, list[1] as readonly Parsed[], read);
      case 'rcall':
        return this.#call(range, list[0] as string, list[1] as Parsed, list[2] as readonly Parsed[], read);
      default:
        if (!BINARY.has(op)) refuse('syntax', range, 'uses syntax that the dialect does not have');
        return { ...range, op: 'binary', sign: op as BinaryOp, left: read(list[0]), right: read(list[1]) };
    }
  }

  #call(
    range: Range,
    name: string,
    receiver: Parsed | null,
    args: readonly Parsed[],
    read: (one: unknown) => Node,
  ): Node {
    if (receiver === null && name === 'has') return hasOf(range, args.map(read));
    if (receiver !== null && MACRO_NAMES.has(name)) {
      const [item, ...bodies] = args;
      if (item?.op !== 'id' || bodies.length < 1 || bodies.length > (name === 'map' ? 2 : 1)) {
        refuse('syntax', range, `calls ${name} with other arguments than a name and an expression`);
      }
      const [first, second] = bodies.map(read) as [Node, Node?];
      return {
        ...range,
        op: 'macro',
        macro: name as Macro,
        over: read(receiver),
        item: item.args as string,
        filter: second === undefined ? null : first,
        body: second ?? first,
      };
    }
    const all = receiver === null ? args : [receiver, ...args];
    return { ...range, op: 'call', name, method: receiver !== null, args: all.map(read) };
  }

  /** The parser leaves out parentheses around the first and last operand: `(a + b) * c` would begin at `a`. */
  #balanced({ start, end }: Range): Range {
    let from = start;
    let to = end;
    // Pairs are in the order of their ends: an inner one comes before the one around it.
    for (const [open, close] of this.#pairs) {
      const opens = open >= from && open < to;
      const closes = close >= from && close < to;
      if (opens && !closes) to = close + 1;
      else if (closes && !opens) from = open;
    }
    return { start: from, end: to };
  }
}

function hasOf(range: Range, args: readonly Node[]): Node {
  const [read] = args;
  if (args.length !== 1 || read?.op !== 'member')
    refuse('syntax', range, 'calls has without a member: has(args.amount)');
  return { ...range, op: 'has', of: read.of, name: read.name };
}

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);

function negated(range: Range, of: Node): Node {
  if (of.op === 'literal' && typeof of.value === 'number') return { ...range, op: 'literal', value: -of.value };
  if (of.op === 'literal' && typeof of.value === 'bigint' && of.value >= 0n) {
    return { ...range, op: 'literal', value: -of.value };
  }
  return { ...range, op: 'negate', of };
}

function literalOf(value: unknown, range: Range): string | number | bigint | boolean | null {
  switch (typeof value) {
    case 'bigint':
      // One more than the largest is the magnitude of the smallest: its sign is read later.
      if (value > MAX_INT + 1n || value < MIN_INT) refuse('syntax', range, 'has an integer of more than 64 bits');
      return value;
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    default:
      if (value !== null) refuse('syntax', range, 'uses bytes or unsigned integers, which the dialect does not have');
      return null;
  }
}

const OPENING = '([{';
const CLOSING = ')]}';

/** Offsets of brackets that belong together, outside of strings and comments. */
function pairsOf(text: string): readonly (readonly [open: number, close: number])[] {
  const pairs: [open: number, close: number][] = [];
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === '"' || char === "'") at = endOfString(text, at) - 1;
    else if (char === '/' && text[at + 1] === '/') at = endOfLine(text, at);
    else if (OPENING.includes(char)) open.push(at);
    else if (CLOSING.includes(char)) {
      const begin = open.pop();
      if (begin !== undefined) pairs.push([begin, at]);
    }
  }
  return pairs;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** The parser steps over any character after a backslash, also in raw strings. */
function endOfString(text: string, from: number): number {
  const quote = text[from]!;
  const end = text.startsWith(quote.repeat(3), from) ? quote.repeat(3) : quote;
  for (let at = from + end.length; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(end, at)) return at + end.length;
  }
  return text.length;
}
