import { LoadGenerator } from '../load/load-generator.js';
import type { BenchOptions } from '../options.js';
import { temporaryFolder } from '../subjects/countersign.js';
import type { DiskFigures } from '../subjects/bare-disk.js';
import { memoryOf } from '../subjects/process-figures.js';
import { canPin } from '../subjects/program.js';
import { diskLines, measureDisk } from './disk.js';
import { measureAll } from './measure.js';
import type { PlannedLoad } from './measure.js';
import { aimLine, aims, LEGEND, rowsOf, tables } from './report.js';
import { startBare, startGatewayAlone, startWhole } from './subjects.js';
import type { Subject } from './subjects.js';

const SERVER_CORE = 0;
const GENERATOR_CORE = 1;

const LOADS: readonly PlannedLoad[] = [
  { kind: 'closed', size: 64 },
  { kind: 'closed', size: 256 },
  { kind: 'open', size: 1000 },
  { kind: 'open', size: 5000 },
  { kind: 'open', size: 10_000 },
];

/** Prints the rate of checks compared with a bare server, and the delay until their events are listed and anchored. */
export async function throughput(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const pinned = canPin();
  if (!pinned) print('taskset is missing: nothing is bound to a core, and the figures of one core are not');
  const server = pinned ? SERVER_CORE : undefined;
  const folder = await temporaryFolder();
  const generators = {
    apart: new LoadGenerator(pinned ? GENERATOR_CORE : undefined),
    anywhere: new LoadGenerator(undefined),
  };
  const subjects: Subject[] = [];
  try {
    for (const name of options.subjects) {
      if (name === 'gateway') subjects.push(await startGatewayAlone(folder.path, server));
      else subjects.push(await startWhole(folder.path, name === 'whole-1' ? server : undefined));
    }
    const bare = await startBare(server, subjects[0]!.target);
    subjects.push(bare);
    const before = await Promise.all(subjects.map(({ pid }) => memoryOf(pid)));
    const others = subjects.filter((subject) => subject !== bare);
    const disk = new Map<number, DiskFigures[]>();
    const beforeOpenLoop = async (perSecond: number): Promise<void> => {
      const figures = await measureDisk(folder.path, perSecond, options.seconds, server);
      disk.set(perSecond, [...(disk.get(perSecond) ?? []), figures]);
    };
    const plan = { ...options, loads: LOADS, progress: print, beforeOpenLoop };
    const measurements = await measureAll(bare, others, generators, plan);
    const after = await Promise.all(subjects.map(({ pid }) => memoryOf(pid)));
    const rows = rowsOf(measurements);
    print(`\nmedians of ${options.repetitions}, ${options.seconds} s each\n`);
    print(tables(rows));
    for (const line of diskLines(disk)) print(line);
    print(LEGEND);
    print('resident memory, MiB');
    subjects.forEach(({ name }, i) => {
      const mib = (value: number | undefined): string => (value ?? Number.NaN).toFixed(0).padStart(6);
      const peak = mib(after[i]?.peak);
      print(`${name.padEnd(28)} before ${mib(before[i]?.resident)}  after ${mib(after[i]?.resident)}  most ${peak}`);
    });
    print('\naims');
    for (const aim of aims(rows)) print(aimLine(aim));
  } finally {
    generators.apart.stop();
    generators.anywhere.stop();
    await Promise.all(subjects.map((subject) => subject.stop()));
    await folder.remove();
  }
}
