import { memberText, partsOf, pathOf } from '../cel/syntax.js';
import type { ComparisonOp, Literal, Node } from '../cel/syntax.js';

/** A part of a condition between `&&`, `||` and `!`, and whether it is true or false. An error is neither. */
export interface Atom {
  /** The same for parts that have the same value or the same error under one input. */
  readonly key: string;
  readonly holds: boolean;
  /** The value that it compares with literals, by a name as `key`; `null`: it is of another form. */
  readonly test: Test | null;
  /** Members that are there, because it would be an error otherwise, as paths with dots. */
  readonly present: readonly string[];
  /** The member whose presence it tests; `null` for other parts. */
  readonly presence: string | null;
}

/** A comparison of one value with literals. */
export interface Test {
  readonly term: string;
  readonly by:
    | { readonly op: ComparisonOp | 'prefix'; readonly literal: Known }
    | { readonly op: 'one_of'; readonly literals: readonly Known[]; readonly isOne: boolean };
  /** The value is the condition: anything but a boolean is an error. */
  readonly isCondition?: true;
}

/** A literal whose comparison is known: integers are numbers, as JSON numbers compare with them by value. */
export type Known = string | number | boolean | null;

const INVERSE = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const;
const MIRROR = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

/** Most combinations of parts that one condition is written as. */
const MOST_WAYS = 64;

/**
 * The ways in which a condition comes out as `holds`: it does so only if all parts of one of them do.
 * @returns `null`: there are too many
 */
export function waysOf(node: Node, holds: boolean): readonly (readonly Atom[])[] | null {
  switch (node.op) {
    case 'not':
      return waysOf(node.of, !holds);
    case 'and':
    case 'or':
      return (node.op === 'and') === holds
        ? both(waysOf(node.left, holds), waysOf(node.right, holds))
        : either(waysOf(node.left, holds), waysOf(node.right, holds));
    case 'if': {
      const { test, yes, no } = node;
      return either(both(waysOf(test, true), waysOf(yes, holds)), both(waysOf(test, false), waysOf(no, holds)));
    }
    case 'literal':
      return node.value === holds ? [[]] : [];
    default:
      return [[atomOf(node, holds)]];
  }
}

type Ways = readonly (readonly Atom[])[] | null;

/** Every way of the one together with every way of the other. */
export function both(one: Ways, two: Ways): Ways {
  if (one?.length === 0 || two?.length === 0) return [];
  if (one === null || two === null || one.length * two.length > MOST_WAYS) return null;
  return one.flatMap((a) => two.map((b) => [...a, ...b]));
}

export function either(one: Ways, two: Ways): Ways {
  return one === null || two === null || one.length + two.length > MOST_WAYS ? null : [...one, ...two];
}

/** @param node a part that is neither `&&`, `||`, `!`, `?:` nor a literal */
export function atomOf(node: Node, holds: boolean): Atom {
  const presence = node.op === 'has' ? pathOf({ ...node, op: 'member' }) : null;
  const present = new Set<string>();
  addPresent(node, present);
  return {
    key: keyOf(node),
    holds,
    test: testOf(node, holds),
    present: [...present],
    presence: presence === null ? null : memberText(presence),
  };
}

function testOf(node: Node, holds: boolean): Test | null {
  if (node.op === 'has') return null;
  if (node.op === 'call') {
    const [text, part] = node.args;
    const literal = part === undefined ? undefined : knownOf(part);
    if (node.name !== 'startsWith' || typeof literal !== 'string' || !holds) return null;
    return { term: keyOf(text!), by: { op: 'prefix', literal } };
  }
  if (node.op !== 'binary') {
    if (!isTerm(node)) return null;
    return { term: keyOf(node), by: { op: 'one_of', literals: [holds], isOne: true }, isCondition: true };
  }
  const { sign, left, right } = node;
  const [first, last] = [knownOf(left), knownOf(right)];
  switch (sign) {
    case '==':
    case '!=': {
      const literal = last === undefined ? first : last;
      if (literal === undefined || (first !== undefined && last !== undefined)) return null;
      const term = keyOf(last === undefined ? right : left);
      return { term, by: { op: 'one_of', literals: [literal], isOne: (sign === '==') === holds } };
    }
    case 'in': {
      const literals = right.op === 'list' ? right.items.map(knownOf) : [undefined];
      if (first !== undefined || !literals.every((one) => one !== undefined)) return null;
      return { term: keyOf(left), by: { op: 'one_of', literals, isOne: holds } };
    }
    case '<':
    case '<=':
    case '>':
    case '>=': {
      if ((first === undefined) === (last === undefined)) return null;
      const op = last === undefined ? MIRROR[sign] : sign;
      const term = keyOf(last === undefined ? right : left);
      return { term, by: { op: holds ? op : INVERSE[op], literal: (last === undefined ? first : last)! } };
    }
    default:
      return null;
  }
}

/** A value that is a condition by itself, such as `facts.known`. */
const isTerm = ({ op }: Node): boolean => op === 'variable' || op === 'member' || op === 'index';

/** The literal of a node; `undefined` where it is none, or a number beyond 2^53. */
function knownOf(node: Node): Known | undefined {
  if (node.op === 'negate') {
    const of = knownOf(node.of);
    return typeof of === 'number' ? -of : undefined;
  }
  if (node.op !== 'literal') return undefined;
  const value: Literal = node.value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  return typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER) ? undefined : value;
}

/** The members without which a part is an error: those that it reads whatever its other parts are. */
function addPresent(node: Node, present: Set<string>): void {
  const path = pathOf(node);
  if (path !== null) {
    for (let names = 2; names <= path.length; names += 1) present.add(memberText(path.slice(0, names)));
    return;
  }
  switch (node.op) {
    case 'has':
    case 'member':
    case 'negate':
      return addPresent(node.of, present);
    case 'index':
    case 'binary':
    case 'call':
    case 'list':
      return partsOf(node).forEach((part) => addPresent(part, present));
    case 'macro':
      return addPresent(node.over, present);
    default:
      return undefined;
  }
}

/** A text that is the same for nodes that are written alike, whatever blanks and parentheses they have. */
export function keyOf(node: Node): string {
  const parts = partsOf(node).map(keyOf).join(',');
  switch (node.op) {
    case 'literal':
      return `${typeof node.value}:${JSON.stringify(String(node.value))}`;
    case 'variable':
    case 'member':
    case 'has':
    case 'call':
      return `${node.op} ${JSON.stringify(node.name)}(${parts})`;
    case 'binary':
      return `${node.sign}(${parts})`;
    case 'macro':
      return `${node.macro} ${node.item} ${node.filter === null ? '' : 'filter'}(${parts})`;
    default:
      return `${node.op}(${parts})`;
  }
}
