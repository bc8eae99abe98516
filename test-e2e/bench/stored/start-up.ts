import { join } from 'node:path';
import { LoadGenerator } from '../load/load-generator.js';
import { median } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { Countersign, temporaryFolder } from '../subjects/countersign.js';
import { memoryOf } from '../subjects/process-figures.js';
import { aimLine } from '../throughput/report.js';
import { seed } from './seed.js';

const AIM_SECONDS = 5;

/** Prints the time of a start with this many events stored, after a stop and after a kill. */
export async function startUp(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const generator = new LoadGenerator(undefined);
  let instance = await Countersign.start({ dataDir });
  print(`first start: ${(instance.startMs / 1000).toFixed(2)} s`);
  try {
    const begunAt = performance.now();
    await seed(instance, generator, options.events, (stored) => {
      const seconds = (performance.now() - begunAt) / 1000;
      print(`${stored.toLocaleString('en')} checks are stored and anchored after ${seconds.toFixed(0)} s`);
    });
    const afterStop: number[] = [];
    const afterKill: number[] = [];
    for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
      await instance.stop();
      instance = await Countersign.start({ dataDir });
      afterStop.push(instance.startMs / 1000);
      await instance.kill();
      instance = await Countersign.start({ dataDir });
      afterKill.push(instance.startMs / 1000);
      const { resident } = await memoryOf(instance.child.pid!);
      const figures = `${afterStop.at(-1)!.toFixed(2)} s after a stop, ${afterKill.at(-1)!.toFixed(2)} s after a kill`;
      print(`${repetition} of ${options.repetitions}: ${figures}; ${resident.toFixed(0)} MiB resident`);
    }
    const what = `s to readiness with ${options.events.toLocaleString('en')} checks stored`;
    print('');
    print(aimLine({ what: `${what}, after a stop`, figure: median(afterStop), atMost: AIM_SECONDS }));
    print(aimLine({ what: `${what}, after a kill`, figure: median(afterKill), atMost: AIM_SECONDS }));
  } finally {
    generator.stop();
    await instance.stop().catch(() => undefined);
    await folder.remove();
  }
}
