import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Job } from '../load/job.js';
import { LoadGenerator } from '../load/load-generator.js';
import { Countersign, temporaryFolder } from '../subjects/countersign.js';
import { memoryOf } from '../subjects/process-figures.js';
import { checkRequests } from '../subjects/requests.js';
import { makeAgents } from '../throughput/subjects.js';
import { slopeOf, verdictOf } from './slope.js';
import type { Sample } from './slope.js';

/**
 * Program: runs the whole instance at half of its capacity for a long time. Prints the minimum memory of each minute and
 * its open files, then their growth, and exits with 1 if they grow. `--minutes N` (30), `--per-second N` instead of half.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, 'per-second': { type: 'string' } },
});
const MINUTES = whole('--minutes', values.minutes, 24 * 60);
const CONNECTIONS = 256;
const MAX_REQUESTS = 100_000_000;
const CEILING_SECONDS = 10;
/** Until both sides have closed the connections of a minute's load, ms. */
const QUIET_MS = 3000;
const LOOK_MS = 250;
/** Share of the run in which caches, compiled code and pools fill; it does not count. */
const FILLING = 0.2;
/** Maximum growth per hour, which noise and stored data may cause. */
const MOST = { memory: 64, files: 6 } as const;

function whole(name: string, text: string, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`${name} takes 1 to ${most}`);
  return value;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** The minimum anonymous memory while something runs, MiB: excludes most uncollected garbage. */
async function leastMemory(pid: number, underWay: Promise<unknown>): Promise<number> {
  let over = false;
  const end = (): void => void (over = true);
  underWay.then(end, end);
  let least = Number.POSITIVE_INFINITY;
  while (!over) {
    least = Math.min(least, (await memoryOf(pid)).anonymous);
    await sleep(LOOK_MS);
  }
  return least;
}

async function soak(instance: Countersign, generator: LoadGenerator): Promise<boolean> {
  const { bootstrap, child } = instance;
  const { hostname, port } = new URL(bootstrap.baseUrl);
  const agentIds = await makeAgents(instance);
  const target = { host: hostname, port: Number(port), requests: checkRequests({ ...bootstrap, agentIds }) };
  const run = (seconds: number, load: Job['load']): ReturnType<LoadGenerator['run']> =>
    generator.run({ target, load, seconds, maxRequests: MAX_REQUESTS });
  const given = values['per-second'];
  const perSecond =
    given === undefined
      ? Math.ceil((await run(CEILING_SECONDS, { kind: 'closed', connections: CONNECTIONS })).perSecond / 2)
      : whole('--per-second', given, 100_000);
  print(`${MINUTES} minutes at ${perSecond} checks a second, process ${child.pid}\n`);
  print('minute  RAM MiB  files  answered/s  p99 ms  others');
  const memory: Sample[] = [];
  const files: Sample[] = [];
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    const load = { kind: 'open', perSecond, connections: CONNECTIONS, spin: false } as const;
    const underWay = run(60, load);
    const least = await leastMemory(child.pid!, underWay);
    const outcome = await underWay;
    await sleep(QUIET_MS);
    const open = (await readdir(`/proc/${child.pid}/fd`).catch(() => [])).length;
    memory.push({ minute, value: least });
    files.push({ minute, value: open });
    const others = Object.entries(outcome.failures).map(([status, count]) => `${status}: ${count}`);
    const figures = [least.toFixed(0), open, outcome.perSecond.toFixed(0), outcome.latency.p99.toFixed(0)];
    const cells = [minute, ...figures].map((cell, i) => String(cell).padStart([6, 8, 6, 11, 7][i]!));
    print(`${cells.join(' ')}  ${others.join(', ')}`);
  }
  const counted = (all: readonly Sample[]): readonly Sample[] => all.slice(Math.floor(MINUTES * FILLING));
  const lines = [
    ['memory, MiB', slopeOf(counted(memory)), MOST.memory],
    ['open files', slopeOf(counted(files)), MOST.files],
  ] as const;
  print('');
  for (const [what, slope, most] of lines) {
    const figures = `${slope.perHour.toFixed(1)} ± ${slope.doubt.toFixed(1)} an hour (at most ${most})`;
    print(`${what}: ${figures}: ${verdictOf(slope, most)}`);
  }
  return lines.every(([, slope, most]) => verdictOf(slope, most) !== 'grows');
}

const folder = await temporaryFolder();
const generator = new LoadGenerator(undefined);
const instance = await Countersign.start({ dataDir: join(folder.path, 'soak') });
try {
  if (!(await soak(instance, generator))) process.exitCode = 1;
} finally {
  generator.stop();
  await instance.stop();
  await folder.remove();
}
