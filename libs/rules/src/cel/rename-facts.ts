import { parseCel } from './parse.js';
import { partsOf } from './syntax.js';
import type { Node, Range } from './syntax.js';

/**
 * The expression with other names of the facts that it reads.
 * @param expression CEL; another text is returned as it is
 * @param renamed new ids by old ones
 */
export function renameFacts(expression: string, renamed: ReadonlyMap<string, string>): string {
  let root: Node;
  try {
    root = parseCel(expression);
  } catch {
    return expression;
  }
  const reads: (Range & { readonly text: string })[] = [];
  collect(root, renamed, reads);
  return reads
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: read }) => text.slice(0, start) + read + text.slice(end), expression);
}

function collect(node: Node, renamed: ReadonlyMap<string, string>, reads: (Range & { text: string })[]): void {
  if ((node.op === 'member' || node.op === 'has') && node.of.op === 'variable' && node.of.name === 'facts') {
    const id = renamed.get(node.name);
    const read = `facts.${id}`;
    if (id !== undefined)
      reads.push({ start: node.start, end: node.end, text: node.op === 'has' ? `has(${read})` : read });
    return;
  }
  for (const part of partsOf(node)) collect(part, renamed, reads);
}
