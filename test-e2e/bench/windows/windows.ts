import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { aimLine } from '../throughput/report.js';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(
  new URL('../../../../services/anchoring/dist/close-windows/large-window.bench.js', import.meta.url),
);
const EVENTS_AN_AGENT = 10;

interface Figures {
  readonly takenMs: number;
  readonly closedMs: number;
  /** Time for as many hashes as the trees have nodes. */
  readonly bareMs: number;
  readonly firstProofMs: number;
  readonly proofMs: number;
  readonly slowestProofMs: number;
  readonly residentMiB: number;
}

/** Prints the time to close a large window on one core, relative to its bare hashes, and to compute a proof from it. */
export async function windows(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const agents = Math.max(1, Math.floor(options.events / EVENTS_AN_AGENT));
  const all: Figures[] = [];
  for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
    const program = [process.execPath, PROGRAM, String(options.events), String(agents)];
    const { stdout } = await run('taskset', ['-c', '0', ...program]);
    const figures = JSON.parse(stdout) as Figures;
    all.push(figures);
    const { takenMs, closedMs, bareMs, residentMiB } = figures;
    const [taken, closed] = [takenMs, closedMs].map((ms) => (ms / 1000).toFixed(1));
    print(
      `${repetition} of ${options.repetitions}: taken in ${taken} s, closed in ${closed} s (${(closedMs / bareMs).toFixed(1)} x its bare hashes), ${residentMiB.toFixed(0)} MiB resident`,
    );
  }
  const of = (name: keyof Figures): number => median(all.map((figures) => figures[name]));
  const size = `${options.events.toLocaleString('en')} events over ${agents.toLocaleString('en')} agents`;
  print('');
  print(aimLine({ what: `s to close a window of ${size}`, figure: of('closedMs') / 1000, atMost: 30 }));
  print(aimLine({ what: 'MiB resident meanwhile', figure: of('residentMiB'), atMost: 1024 }));
  print(aimLine({ what: 'ms for the proof of one event, median', figure: of('proofMs'), atMost: 20 }));
  print(aimLine({ what: 'ms, slowest of 200', figure: of('slowestProofMs'), atMost: 20 }));
  print(aimLine({ what: 'ms for the first proof of a window', figure: of('firstProofMs'), atMost: 20 }));
}
