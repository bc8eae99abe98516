import { join } from 'node:path';
import { LoadGenerator } from '../load/load-generator.js';
import { median } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { Countersign, temporaryFolder } from '../subjects/countersign.js';
import { open } from '../subjects/http.js';
import { forgetPeak, memoryOf } from '../subjects/process-figures.js';
import { aimLine } from '../throughput/report.js';
import { seed } from './seed.js';

const AIM_MIB = 256;
const FORMATS = ['ocsf', 'csv'] as const;
const LINE_FEED = 10;

interface Exported {
  readonly lines: number;
  readonly mib: number;
  readonly seconds: number;
}

/** Prints the time for exporting this many events as OCSF and as CSV, and the memory growth of the process. */
export async function exportEvents(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const generator = new LoadGenerator(undefined);
  let instance = await Countersign.start({ dataDir });
  try {
    await seed(instance, generator, options.events, (stored) => print(`${stored} stored`));
    for (const format of FORMATS) {
      const seconds: number[] = [];
      const growth: number[] = [];
      for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
        await instance.stop();
        instance = await Countersign.start({ dataDir });
        const pid = instance.child.pid!;
        const before = await memoryOf(pid);
        await forgetPeak(pid);
        const done = await download(instance, format);
        const { peak } = await memoryOf(pid);
        if (done.lines < options.events) throw new Error(`the export has ${done.lines} lines`);
        seconds.push(done.seconds);
        growth.push(peak - before.resident);
        print(
          `${format} ${repetition} of ${options.repetitions}: ${done.lines} lines, ${done.mib.toFixed(0)} MiB in ` +
            `${done.seconds.toFixed(1)} s; resident ${before.resident.toFixed(0)} MiB before, ${peak.toFixed(0)} at most`,
        );
      }
      const what = `${options.events.toLocaleString('en')} events as ${format}`;
      print(`${median(seconds).toFixed(1)} s for ${what}`);
      print(aimLine({ what: `MiB more at most during ${what}`, figure: median(growth), atMost: AIM_MIB }));
      print('');
    }
  } finally {
    generator.stop();
    await instance.stop().catch(() => undefined);
    await folder.remove();
  }
}

async function download(instance: Countersign, format: (typeof FORMATS)[number]): Promise<Exported> {
  const session = await instance.session();
  const begunAt = performance.now();
  const path = `/v1/events/export?format=${format}`;
  const { status, stream } = await open(instance.bootstrap.baseUrl, 'GET', path, session);
  if (status !== 200) throw new Error(`the export was refused: ${status}`);
  let bytes = 0;
  let lines = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
  }
  const seconds = (performance.now() - begunAt) / 1000;
  return { lines, mib: bytes / 1024 / 1024, seconds };
}
