import type { Variables } from './check.js';
import { partsOf, pathOf, presenceText, refuse } from './syntax.js';
import type { Node } from './syntax.js';

/** Paths that are known to be present, as JSON texts of their names. */
type Known = ReadonlySet<string>;

const NONE: Known = new Set();
/** Corrections of one expression: each adds at least one test. */
const MAX_CORRECTIONS = 8;

interface Unguarded {
  readonly node: Node;
  /** The condition that the read belongs to: the largest part without `&&`, `||`, `!` and `?:`. */
  readonly clause: Node;
  /** Paths to test first, in order. */
  readonly paths: readonly (readonly string[])[];
}

/**
 * Refuses a member that may be absent and is read without `has()` before it: without it, an action that lacks the
 * member would be an error, and denied. The proposal is the expression with the tests that are missing.
 * @param parse parses and checks a corrected expression; `null` if it is refused
 */
export function checkPresence(
  root: Node,
  text: string,
  variables: Variables,
  parse: (text: string) => Node | null,
): void {
  const first = firstUnguarded(root, variables);
  if (first === null) return;
  let corrected = text;
  let node: Node | null = root;
  for (let left = MAX_CORRECTIONS; left > 0 && node !== null; left -= 1) {
    const found = firstUnguarded(node, variables);
    if (found === null) break;
    corrected = withTests(corrected, node, { ...found, paths: allPaths(node, variables, found) });
    node = parse(corrected);
  }
  const isRight = node !== null && firstUnguarded(node, variables) === null;
  const read = first.paths.at(-1)!;
  refuse(
    'may_be_absent',
    first.node,
    `reads ${read.join('.')}, which may be absent, without ${presenceText(read)} before it`,
    isRight ? corrected : null,
  );
}

function withTests(text: string, root: Node, { clause, paths }: Unguarded): string {
  const tests = paths.map((path) => presenceText(path)).join(' && ');
  const guarded = `${tests} && ${text.slice(clause.start, clause.end)}`;
  const isWhole = clause === root;
  return text.slice(0, clause.start) + (isWhole ? guarded : `(${guarded})`) + text.slice(clause.end);
}

/** @param assumed paths that are taken for present */
function firstUnguarded(root: Node, variables: Variables, assumed: Known = NONE): Unguarded | null {
  return new Search(variables).condition(root, assumed);
}

/** The paths of all unguarded reads of the clause of the first one. */
function allPaths(root: Node, variables: Variables, { clause, paths }: Unguarded): readonly (readonly string[])[] {
  const all = [...paths];
  for (;;) {
    const next = firstUnguarded(root, variables, new Set(all.map(keyOf)));
    if (next?.clause !== clause) return all;
    all.push(...next.paths);
  }
}

class Search {
  readonly #variables: Variables;
  /** Names of items of loops around the part that is searched. */
  readonly #items = new Set<string>();

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /** The first unguarded read of a condition. */
  condition(node: Node, known: Known): Unguarded | null {
    switch (node.op) {
      case 'and':
        return this.condition(node.left, known) ?? this.condition(node.right, both(known, whenTrue(node.left)));
      case 'or':
        return this.condition(node.left, known) ?? this.condition(node.right, both(known, whenFalse(node.left)));
      case 'not':
        return this.condition(node.of, known);
      case 'if':
        return (
          this.condition(node.test, known) ??
          this.condition(node.yes, both(known, whenTrue(node.test))) ??
          this.condition(node.no, both(known, whenFalse(node.test)))
        );
      default:
        return this.#reads(node, node, known);
    }
  }

  #reads(node: Node, clause: Node, known: Known): Unguarded | null {
    if (node.op === 'member' || node.op === 'has') {
      const path = pathOf(node.op === 'member' ? node : node.of);
      if (path !== null) return this.#path(node, clause, path, known);
    }
    if (node.op === 'if' || node.op === 'and' || node.op === 'or' || node.op === 'not') {
      return this.#nested(node, clause, known);
    }
    if (node.op === 'macro') return this.#macro(node, clause, known);
    if (node.op === 'binary' && node.sign === 'in' && presenceOf(node) !== null)
      return this.#reads(node.right, clause, known);
    return first(partsOf(node), (part) => this.#reads(part, clause, known));
  }

  /** A condition within a value: its reads are guarded by tests within it, or around the clause. */
  #nested(node: Node, clause: Node, known: Known): Unguarded | null {
    const found = this.condition(node, known);
    return found === null ? null : { ...found, clause };
  }

  #macro(node: Node & { readonly op: 'macro' }, clause: Node, known: Known): Unguarded | null {
    const over = this.#reads(node.over, clause, known);
    if (over !== null) return over;
    this.#items.add(node.item);
    const filter = node.filter === null ? null : this.condition(node.filter, known);
    const found =
      filter ?? this.condition(node.body, node.filter === null ? known : both(known, whenTrue(node.filter)));
    this.#items.delete(node.item);
    return found;
  }

  #path(node: Node, clause: Node, path: readonly string[], known: Known): Unguarded | null {
    const present = this.#present(path);
    const paths: (readonly string[])[] = [];
    for (let length = present + 1; length <= path.length; length += 1) {
      const prefix = path.slice(0, length);
      if (!known.has(keyOf(prefix))) paths.push(prefix);
    }
    return paths.length === 0 ? null : { node, clause, paths };
  }

  /** Number of names of a path that are always present. */
  #present(path: readonly string[]): number {
    if (this.#items.has(path[0]!)) return 1;
    let known: Variables = this.#variables;
    for (let at = 0; at < path.length; at += 1) {
      const variable = Object.hasOwn(known, path[at]!) ? known[path[at]!]! : null;
      if (variable === null) return path.length;
      if (variable.kind === 'json') return variable.sure?.includes(path[at + 1] ?? '') === true ? at + 2 : at + 1;
      if (variable.kind !== 'record') return path.length;
      known = variable.members;
    }
    return path.length;
  }
}

function first(parts: readonly Node[], find: (part: Node) => Unguarded | null): Unguarded | null {
  for (const part of parts) {
    const found = find(part);
    if (found !== null) return found;
  }
  return null;
}

const keyOf = (path: readonly string[]): string => JSON.stringify(path);

function both(a: Known, b: Known): Known {
  if (b.size === 0) return a;
  return a.size === 0 ? b : new Set([...a, ...b]);
}

/** The path that a test of presence is about; `null` for any other node. */
function presenceOf(node: Node): readonly string[] | null {
  const tested =
    node.op === 'has'
      ? { of: node.of, name: node.name }
      : node.op === 'binary' && node.sign === 'in' && node.left.op === 'literal' && typeof node.left.value === 'string'
        ? { of: node.right, name: node.left.value }
        : null;
  const of = tested === null ? null : pathOf(tested.of);
  return tested === null || of === null ? null : [...of, tested.name];
}

/** Paths that are present where a condition is true. */
function whenTrue(node: Node): Known {
  const path = presenceOf(node);
  if (path !== null) return new Set([keyOf(path)]);
  switch (node.op) {
    case 'and':
      return both(whenTrue(node.left), whenTrue(node.right));
    case 'or':
      return intersection(whenTrue(node.left), whenTrue(node.right));
    case 'not':
      return whenFalse(node.of);
    default:
      return NONE;
  }
}

/** Paths that are present where a condition is false. */
function whenFalse(node: Node): Known {
  switch (node.op) {
    case 'or':
      return both(whenFalse(node.left), whenFalse(node.right));
    case 'and':
      return intersection(whenFalse(node.left), whenFalse(node.right));
    case 'not':
      return whenTrue(node.of);
    default:
      return NONE;
  }
}

const intersection = (a: Known, b: Known): Known => new Set([...a].filter((one) => b.has(one)));
