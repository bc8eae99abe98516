import type { Examination } from './fsck.js';
import type { Rebuilt } from './rebuild/rebuild-damaged.js';
import type { Check } from './report.js';

const SHOWN = 5;
const number = new Intl.NumberFormat('en-US');

/** The examination in plain words: one line a check, its first findings below it, the verdict last. */
export function showReport(what: string, { report, windows }: Examination): string {
  const width = Math.max(...report.checks.map(({ name }) => name.length));
  const lines = report.checks.flatMap((check) => shown(check, width));
  const waiting = windows.closed - windows.anchored;
  const anchors = `${number.format(windows.anchored)} windows anchored, ${number.format(waiting)} waiting`;
  const verdict =
    report.count === 0
      ? `CLEAN: ${anchors}.`
      : `${number.format(report.count)} FINDINGS: change nothing there until you have a copy.`;
  return `${[what, ...lines, '', verdict].join('\n')}\n`;
}

function shown(check: Check, width: number): string[] {
  const { name, promise, examined, behind, count, findings, notes, skipped } = check;
  const title = name.padEnd(width);
  const lines: string[] = [];
  if (skipped !== null) lines.push(`  --  ${title}  not checked: ${skipped}`);
  else if (count === 0) lines.push(`  ok  ${title}  ${number.format(examined)} ${promise}`);
  else lines.push(`  !!  ${title}  ${number.format(count)} findings in ${number.format(examined)}`);
  if (behind > 0)
    lines.push(`      ${' '.repeat(width)}  behind by ${number.format(behind)}: they are taken up when it runs`);
  lines.push(...notes.map((note) => `      ${' '.repeat(width)}  ${note}`));
  for (const { place, problem, advice } of findings.slice(0, SHOWN)) {
    lines.push(`      ${place}: ${problem}`, `        -> ${advice}`);
  }
  if (count > SHOWN) lines.push(`      and ${number.format(count - SHOWN)} more`);
  return lines;
}

/** Results of rebuilding, one line for each store that had findings; empty where nothing was to be rebuilt. */
export function showRebuilt(rebuilt: readonly Rebuilt[] | null): string {
  if (rebuilt === null) return '';
  if (rebuilt.length === 0) return 'Nothing was rebuilt.\n';
  const lines = rebuilt.flatMap(({ file, aside, refused, lost }) => [
    refused === null
      ? `rebuilt: ${file}${aside === null ? '' : `; the damaged one is ${aside}`}`
      : `NOT rebuilt: ${file}: ${refused}`,
    ...lost.map((what) => `  lost: ${what}`),
  ]);
  return `${lines.join('\n')}\n\n`;
}
