import { oneLine } from '../verify-file/describe-package.js';
import type { LintedFile } from './lint-files.js';

/** A line for each finding, `file:line:column: kind: sentence`, the expected cost of each file with rules, and the total. */
export function findingsText(linted: readonly LintedFile[]): string {
  const lines = linted.flatMap(({ file, findings, costMicros }) => [
    ...findings.map(({ line, column, kind, text }) => `${file}:${line}:${column}: ${kind}: ${text}`),
    ...(costMicros === null || costMicros === 0
      ? []
      : [`${file}: its rules, facts and limits take at most ${costMicros} µs for a check`]),
  ]);
  const count = countOf(linted);
  const [found, files] = [counted(count, 'finding'), counted(linted.length, 'file')];
  return `${[...lines, `${found} in ${files}`].map(oneLine).join('\n')}\n`;
}

export function countOf(linted: readonly LintedFile[]): number {
  return linted.reduce((sum, { findings }) => sum + findings.length, 0);
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
