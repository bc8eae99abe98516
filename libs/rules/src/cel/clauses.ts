import type { Evaluate, Scope } from './evaluate.js';
import type { Node } from './syntax.js';

/** Result of a part of a condition. Its text is that of the policy: it quotes no value of the action. */
export interface Clause {
  readonly text: string;
  /** `not_reached`: another clause had decided. `unknown`: it depends on a fact whose value is not known. */
  readonly result: boolean | 'error' | 'not_reached' | 'unknown';
}

type Tree =
  | { readonly text: string; readonly evaluate: Evaluate }
  | { readonly op: 'and' | 'or'; readonly left: Tree; readonly right: Tree }
  | { readonly op: 'not'; readonly of: Tree };

/** Compiles a condition to a function that gives the result of each of its parts between `&&`, `||` and `!`. */
export function clausesOf(
  root: Node,
  text: string,
  compile: (node: Node) => Evaluate,
): (scope: Scope) => readonly Clause[] {
  const tree = treeOf(root, text, compile);
  return (scope) => {
    const clauses: Clause[] = [];
    visit(tree, scope, clauses);
    return clauses;
  };
}

function treeOf(node: Node, text: string, compile: (node: Node) => Evaluate): Tree {
  if (node.op === 'and' || node.op === 'or') {
    return { op: node.op, left: treeOf(node.left, text, compile), right: treeOf(node.right, text, compile) };
  }
  if (node.op === 'not' && (node.of.op === 'and' || node.of.op === 'or')) {
    return { op: 'not', of: treeOf(node.of, text, compile) };
  }
  return { text: text.slice(node.start, node.end), evaluate: compile(node) };
}

/** @param scope `null`: not reached */
function visit(tree: Tree, scope: Scope | null, clauses: Clause[]): Exclude<Clause['result'], 'unknown'> {
  if (!('op' in tree)) {
    const result = scope === null ? 'not_reached' : resultOf(tree.evaluate(scope));
    clauses.push({ text: tree.text, result });
    return result;
  }
  if (tree.op === 'not') {
    const of = visit(tree.of, scope, clauses);
    return typeof of === 'boolean' ? !of : of;
  }
  const decides = tree.op === 'or';
  const left = visit(tree.left, scope, clauses);
  const right = visit(tree.right, left === decides ? null : scope, clauses);
  if (left === decides || right === decides) return decides;
  return left === !decides ? right : left;
}

function resultOf(value: unknown): boolean | 'error' {
  return typeof value === 'boolean' ? value : 'error';
}
