import { partsOf } from './syntax.js';
import type { Node } from './syntax.js';

/**
 * Members that an expression reads and zones that it names, each once, in the order of the text. Elements of a list are
 * written as `[]`: `args.items[].price`.
 */
export function readsOf(root: Node): { readonly reads: readonly string[]; readonly zones: readonly string[] } {
  const reads = new Set<string>();
  const zones = new Set<string>();
  visit(root, new Map(), reads, zones);
  return { reads: [...reads], zones: [...zones] };
}

type Items = ReadonlyMap<string, string | null>;

function visit(node: Node, items: Items, reads: Set<string>, zones: Set<string>): void {
  const path = pathText(node, items);
  if (path !== null) {
    reads.add(path);
    if (node.op === 'index') visit(node.key, items, reads, zones);
    return;
  }
  if (node.op === 'call' && node.name === 'hours') {
    const zone = node.args[1];
    if (zone?.op === 'literal' && typeof zone.value === 'string') zones.add(zone.value);
  }
  if (node.op === 'macro') {
    visit(node.over, items, reads, zones);
    const over = pathText(node.over, items);
    const inner = new Map(items).set(node.item, over === null ? null : `${over}[]`);
    if (node.filter !== null) visit(node.filter, inner, reads, zones);
    visit(node.body, inner, reads, zones);
    return;
  }
  for (const part of partsOf(node)) visit(part, items, reads, zones);
}

function pathText(node: Node, items: Items): string | null {
  if (node.op === 'variable') return items.has(node.name) ? items.get(node.name)! : node.name;
  if (node.op !== 'member' && node.op !== 'has' && node.op !== 'index') return null;
  const of = pathText(node.of, items);
  if (of === null) return null;
  return node.op === 'index' ? `${of}[]` : `${of}.${node.name}`;
}
