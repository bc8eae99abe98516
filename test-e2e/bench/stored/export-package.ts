import { join } from 'node:path';
import { LoadGenerator } from '../load/load-generator.js';
import { median } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { Countersign, temporaryFolder } from '../subjects/countersign.js';
import { open } from '../subjects/http.js';
import { forgetPeak, memoryOf } from '../subjects/process-figures.js';
import { aimLine } from '../throughput/report.js';
import { seed } from './seed.js';

const AIM_SECONDS = 10;
const AIM_MIB = 512;
const FRAMEWORKS = ['soc2', 'euaiact', 'hipaa', 'sr11-7', 'sr26-2', 'nydfs'];

interface Export {
  readonly seconds: number;
  readonly mib: number;
  readonly events: number;
  readonly anchored: number;
}

/** Prints how long a package of so many events takes, and how much memory; each export by a process of its own. */
export async function exportPackage(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const generator = new LoadGenerator(undefined);
  let instance = await Countersign.start({ dataDir });
  try {
    await seed(instance, generator, options.events, () => undefined);
    const seconds: number[] = [];
    const peaks: number[] = [];
    for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
      await instance.stop();
      instance = await Countersign.start({ dataDir });
      const { pid } = instance.child;
      const before = await memoryOf(pid!);
      await forgetPeak(pid!);
      const done = await exportAll(instance);
      const { peak } = await memoryOf(pid!);
      if (done.events < options.events || done.anchored < options.events) {
        throw new Error(`the package has ${done.events} events, ${done.anchored} of them anchored`);
      }
      seconds.push(done.seconds);
      peaks.push(peak);
      print(
        `${repetition} of ${options.repetitions}: ${done.events} events, ${done.mib.toFixed(1)} MiB in ` +
          `${done.seconds.toFixed(2)} s; resident ${before.resident.toFixed(0)} MiB before, ${peak.toFixed(0)} at most`,
      );
    }
    print('');
    const what = `an export of ${options.events.toLocaleString('en')} checks`;
    print(aimLine({ what: `s for ${what}`, figure: median(seconds), atMost: AIM_SECONDS }));
    print(aimLine({ what: `MiB resident at most during ${what}`, figure: median(peaks), atMost: AIM_MIB }));
  } finally {
    generator.stop();
    await instance.stop().catch(() => undefined);
    await folder.remove();
  }
}

async function exportAll(instance: Countersign): Promise<Export> {
  const session = await instance.session();
  const begunAt = performance.now();
  const { status, stream } = await open(instance.bootstrap.baseUrl, 'POST', '/v1/events/export-signed', session, {
    agentIds: [],
    format: 'json',
    frameworks: FRAMEWORKS,
    from: '1970-01-01T00:00:00.000Z',
    to: new Date().toISOString(),
  });
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  const seconds = (performance.now() - begunAt) / 1000;
  const bytes = Buffer.concat(chunks);
  if (status !== 200) throw new Error(`the export was refused: ${status} ${bytes.toString('utf8')}`);
  const { summary } = JSON.parse(bytes.toString('utf8')) as {
    readonly summary: { readonly events: number; readonly anchored: number };
  };
  return { seconds, mib: bytes.length / 1024 / 1024, events: summary.events, anchored: summary.anchored };
}
