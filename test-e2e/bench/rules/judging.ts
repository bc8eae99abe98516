import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { aimLine } from '../throughput/report.js';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('../../../../libs/rules/dist/rules.bench.js', import.meta.url));

/** Targets of the p50, µs, by the beginning of the line. */
const AIMS: readonly (readonly [label: string, atMost: number])[] = [
  ['one rule', 5],
  ['100 rules that all apply', 100],
];

/** Figures that others publish: of other rules, on other machines. */
const PUBLISHED = [
  'OPA, the example of `opa bench` in its documentation (Policy Performance): p50 35.8 µs for one query',
  'OPA, the same page: a budget of about 1 ms for the decision of a microservice',
  'Cerbos: no p50 of an evaluation; by its own account up to 17 times as fast as its former engine on OPA (From OPA to our own engine, 2025)',
];

/** Prints the time in which rules are judged, without anything else of a check, beside what others publish. */
export async function judging(print: (line: string) => void): Promise<void> {
  const { stdout } = await run(process.execPath, [PROGRAM]);
  const lines = stdout.trim().split('\n');
  print('rules alone, on an action with 2 KiB of JSON: p50, and p99 in brackets');
  for (const line of lines) print(`  ${line}`);
  for (const [label, atMost] of AIMS) {
    const kinds = lines
      .filter((line) => line.startsWith(label))
      .map((line) => ({ kind: line.split(':').slice(0, -2).join(':'), p50: Number(/: ([\d.]+) µs/.exec(line)![1]) }));
    for (const { kind, p50 } of kinds) print(aimLine({ what: `p50 in µs, ${kind}`, figure: p50, atMost }));
  }
  print('published by others:');
  for (const line of PUBLISHED) print(`  ${line}`);
  print('');
}
