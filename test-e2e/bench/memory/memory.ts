import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { aimLine } from '../throughput/report.js';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('../../../../services/gateway/dist/follow/read-model.bench.js', import.meta.url));
const AGENTS = 10_000;
/** The profile limit. */
const LARGEST_KIB = 64;

interface Figures {
  /** Heap and external memory, after garbage collection. */
  readonly heldMiB: number;
  readonly residentMiB: number;
  readonly profileKiB: number;
  /** Number of compiled profiles in the cache. */
  readonly compiled: number;
  /** First use of an agent, mean. */
  readonly useMs: number;
}

/** Prints the memory of a gateway with 10,000 agents with the largest profiles, compared with as many without a rule. */
export async function memory(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const all: { readonly largest: Figures; readonly bare: Figures }[] = [];
  for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
    const [bare, largest] = [await measured(0), await measured(LARGEST_KIB)];
    all.push({ bare, largest });
    print(`${repetition} of ${options.repetitions}: ${shown(largest)}; without a rule: ${shown(bare)}`);
  }
  const of = (figure: (one: (typeof all)[number]) => number): number => median(all.map(figure));
  const what = `${AGENTS.toLocaleString('en')} agents with profiles of ${LARGEST_KIB} KiB`;
  print('');
  print(aimLine({ what: `MiB held for ${what}`, figure: of(({ largest }) => largest.heldMiB), atMost: 640 }));
  const ratio = of(({ largest, bare }) => largest.heldMiB / bare.heldMiB).toFixed(1);
  const each = of(({ largest }) => (largest.heldMiB * 1024) / AGENTS).toFixed(1);
  const first = of(({ largest }) => largest.useMs).toFixed(2);
  print(`  ${ratio} x as many without a rule; ${of(({ largest }) => largest.residentMiB).toFixed(0)} MiB resident`);
  print(`  ${each} KiB held of an agent; ${first} ms for its first use`);
}

async function measured(kib: number): Promise<Figures> {
  const { stdout } = await run(process.execPath, ['--expose-gc', PROGRAM, String(AGENTS), String(kib)]);
  return JSON.parse(stdout) as Figures;
}

function shown({ heldMiB, residentMiB, compiled }: Figures): string {
  return `${heldMiB.toFixed(0)} MiB held, ${residentMiB.toFixed(0)} resident, ${compiled} profiles compiled`;
}
