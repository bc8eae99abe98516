import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { checkBody } from '../subjects/requests.js';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(
  new URL('../../../../services/gateway/dist/domain/check-event.bench.js', import.meta.url),
);
const AGENT = '0190a5f2-0000-7000-8000-000000000002';

/** CPU time in µs, and the number of hashes. */
interface Figures {
  readonly prepare: number;
  readonly eventOfVersion1: number;
  readonly eventOfVersion2: number;
  readonly commitments: number;
  readonly hashesAlone: number;
  readonly hashes: number;
}

/** Prints the CPU time of the event of a check by the version of its leaf, and the part of it that is hashing. */
export async function commitments(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const all: Figures[] = [];
  for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
    const { stdout } = await run(process.execPath, [PROGRAM, JSON.stringify(checkBody(AGENT))]);
    all.push(JSON.parse(stdout) as Figures);
  }
  const of = (name: keyof Figures): string => `${median(all.map((figures) => figures[name])).toFixed(1)} µs of a core`;
  print(`event of a check with a leaf of version 1: ${of('eventOfVersion1')}`);
  print(`event of a check with a leaf of version 2: ${of('eventOfVersion2')}`);
  print(`  of it committing action, payload and context member by member: ${of('commitments')}`);
  print(`  of it ${all[0]!.hashes} calls of SHA-256, on texts that exist: ${of('hashesAlone')}`);
  print(`reading and canonicalising its body: ${of('prepare')}`);
}
