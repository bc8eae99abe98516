import { join } from 'node:path';
import { LoadGenerator } from '../load/load-generator.js';
import { median } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { Countersign, temporaryFolder } from '../subjects/countersign.js';
import { open } from '../subjects/http.js';
import { forgetPeak, memoryOf } from '../subjects/process-figures.js';
import { aimLine } from '../throughput/report.js';
import { seed } from './seed.js';
import { verifyExported } from './verify-package.js';

const AIM_SECONDS = { json: 5, pdf: 20 } as const;
const AIM_MIB = 512;
const FRAMEWORKS = ['soc2', 'euaiact', 'hipaa', 'sr11-7', 'sr26-2', 'nydfs'];

type Format = keyof typeof AIM_SECONDS;

interface Export {
  readonly seconds: number;
  readonly bytes: Buffer;
}

/**
 * Prints time and memory for a package of this many events, as JSON and as PDF, each export in a new process,
 * and the time of each verification. The memory for a PDF is that of the services: another process renders it.
 */
export async function exportPackage(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const generator = new LoadGenerator(undefined);
  let instance = await Countersign.start({ dataDir });
  try {
    await seed(instance, generator, options.events, () => undefined);
    for (const format of ['json', 'pdf'] as const) {
      const seconds: number[] = [];
      const peaks: number[] = [];
      let bytes: Buffer = Buffer.alloc(0);
      for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
        await instance.stop();
        instance = await Countersign.start({ dataDir });
        const { pid } = instance.child;
        const before = await memoryOf(pid!);
        await forgetPeak(pid!);
        const done = await exportAll(instance, format);
        const { peak } = await memoryOf(pid!);
        if (format === 'json') requireAll(done.bytes, options.events);
        seconds.push(done.seconds);
        bytes = done.bytes;
        peaks.push(peak);
        print(
          `${format} ${repetition} of ${options.repetitions}: ${(done.bytes.length / 1024 / 1024).toFixed(1)} MiB in ` +
            `${done.seconds.toFixed(2)} s; resident ${before.resident.toFixed(0)} MiB before, ${peak.toFixed(0)} at most`,
        );
      }
      const what = `an export of ${options.events.toLocaleString('en')} checks as ${format}`;
      print(aimLine({ what: `s for ${what}`, figure: median(seconds), atMost: AIM_SECONDS[format] }));
      print(aimLine({ what: `MiB resident at most during ${what}`, figure: median(peaks), atMost: AIM_MIB }));
      await verifyExported(instance, folder.path, { format, bytes }, options.repetitions, print);
      print('');
    }
  } finally {
    generator.stop();
    await instance.stop().catch(() => undefined);
    await folder.remove();
  }
}

async function exportAll(instance: Countersign, format: Format): Promise<Export> {
  const session = await instance.session();
  const begunAt = performance.now();
  const { status, stream } = await open(instance.bootstrap.baseUrl, 'POST', '/v1/events/export-signed', session, {
    agentIds: [],
    format,
    frameworks: FRAMEWORKS,
    from: '1970-01-01T00:00:00.000Z',
    to: new Date().toISOString(),
  });
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  const seconds = (performance.now() - begunAt) / 1000;
  const bytes = Buffer.concat(chunks);
  if (status !== 200) throw new Error(`the export was refused: ${status} ${bytes.toString('utf8')}`);
  return { seconds, bytes };
}

/** @throws Error unless the package has this many events, all of them anchored */
function requireAll(bytes: Buffer, events: number): void {
  const { summary } = JSON.parse(bytes.toString('utf8')) as {
    readonly summary: { readonly events: number; readonly anchored: number };
  };
  if (summary.events < events || summary.anchored < events) {
    throw new Error(`the package has ${summary.events} events, ${summary.anchored} of them anchored`);
  }
}
