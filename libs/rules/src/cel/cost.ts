import { MAX_ELEMENTS } from './fault.js';
import { FUNCTIONS } from './functions.js';
import { partsOf, refuse } from './syntax.js';
import type { Node } from './syntax.js';

/** Most units of one expression, of about 10 ns each. */
const MAX_COST = 100_000;

/** Of a search in a list of the action, and of a comparison of two values: the fuel bounds those of large ones. */
const SEARCH = 50;
const EQUALITY = 2;

/**
 * Estimate of the largest cost of an expression, from its text alone: the sum of its parts, and the body of a loop for
 * each of 1,000 elements, as Kubernetes estimates the rules of its resources. @throws Refusal beyond {@link MAX_COST}
 */
export function checkCost(root: Node): number {
  const cost = costOf(root);
  if (cost > MAX_COST)
    refuse('too_costly', root, `may cost ${cost} units, and ${MAX_COST} are the most: leave out a loop`);
  return cost;
}

function costOf(node: Node): number {
  switch (node.op) {
    case 'macro':
      return (
        costOf(node.over) + MAX_ELEMENTS * (1 + costOf(node.body) + (node.filter === null ? 0 : costOf(node.filter)))
      );
    case 'call':
      return sum(node.args) + (FUNCTIONS[node.name]?.cost ?? 1);
    case 'binary':
      return sum([node.left, node.right]) + signCost(node);
    default:
      return sum(partsOf(node)) + 1;
  }
}

function signCost({ sign, right }: Node & { readonly op: 'binary' }): number {
  if (sign === 'in') return right.op === 'list' ? right.items.length / 10 : SEARCH;
  return sign === '==' || sign === '!=' ? EQUALITY : 1;
}

const sum = (nodes: readonly Node[]): number => nodes.reduce((cost, node) => cost + costOf(node), 0);
