import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { Countersign, temporaryFolder } from '../subjects/countersign.js';
import { canPin, ended, startProgram } from '../subjects/program.js';
import { aimLine } from '../throughput/report.js';
import type { AskingFigures, AskingJob, WayFigures } from './asking.js';

const PROGRAM = fileURLToPath(new URL('./asking.js', import.meta.url));
const REQUESTS = 1000;

/** Prints the overhead of a check by the JavaScript client over a bare request to the same instance in the same run. */
export async function client(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const folder = await temporaryFolder();
  const instance = await Countersign.start({ dataDir: join(folder.path, 'data'), core: canPin() ? 0 : undefined });
  try {
    const { baseUrl, apiKey, agentId } = instance.bootstrap;
    const job: AskingJob = { baseUrl, apiKey, agentId, repetitions: options.repetitions, requests: REQUESTS };
    const all = await asked(job, (figures, index) => {
      const shown = (way: keyof AskingFigures): string =>
        `${figures[way].p50.toFixed(3)} ms, ${figures[way].cpuMicros.toFixed(0)} µs of a core`;
      print(`${index + 1}: bare ${shown('bare')}; the platform's fetch ${shown('fetch')}; client ${shown('client')}`);
    });
    const more = (way: 'fetch' | 'client', figure: keyof WayFigures): number =>
      median(all.map((figures) => figures[way][figure] - figures.bare[figure]));
    print('');
    print('more than a bare keep-alive request, medians of the differences:');
    const fetched = `${more('fetch', 'p50').toFixed(3)} ms p50 and ${more('fetch', 'cpuMicros').toFixed(0)} µs of a core`;
    print(`          ${fetched} for the platform's fetch`);
    print(`          ${more('client', 'cpuMicros').toFixed(0)} µs of a core for a check by the client`);
    print(aimLine({ what: 'ms p50 for a check by the client', figure: more('client', 'p50'), atMost: 0.1 }));
  } finally {
    await instance.stop();
    await folder.remove();
  }
}

async function asked(
  job: AskingJob,
  each: (figures: AskingFigures, index: number) => void,
): Promise<readonly AskingFigures[]> {
  const child = startProgram(PROGRAM, [JSON.stringify(job)], { core: canPin() ? 1 : undefined });
  const all: AskingFigures[] = [];
  child.on('message', (figures: AskingFigures) => each(figures, all.push(figures) - 1));
  const code = await ended(child);
  if (all.length < job.repetitions) throw new Error(`the program that asks ended with ${String(code)}`);
  return all;
}
