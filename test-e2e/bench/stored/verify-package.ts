import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '../load/samples.js';
import type { Countersign } from '../subjects/countersign.js';
import { json, open } from '../subjects/http.js';
import { aimLine } from '../throughput/report.js';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(
  new URL('../../../../services/standalone/dist/verify-file/verify-file.bench.js', import.meta.url),
);
const AIM_SECONDS = 3;

interface Figures {
  readonly events: number;
  readonly verifiedMs: number;
  readonly processorMs: number;
  /** Time to only parse and hash its JSON. */
  readonly bareMs: number;
  readonly residentMiB: number;
}

/** Prints the time to verify an export with its signing key; each time in a new process. */
export async function verifyExported(
  instance: Countersign,
  folder: string,
  exported: { readonly format: string; readonly bytes: Buffer },
  repetitions: number,
  print: (line: string) => void,
): Promise<void> {
  const [file, key] = [join(folder, `report.${exported.format}`), join(folder, 'key.pem')];
  await writeFile(file, exported.bytes);
  await writeFile(key, await activeKey(instance));
  const all: Figures[] = [];
  for (let repetition = 1; repetition <= repetitions; repetition += 1) {
    const { stdout } = await run(process.execPath, [PROGRAM, file, key]);
    const figures = JSON.parse(stdout) as Figures;
    all.push(figures);
    const { verifiedMs, processorMs, bareMs, residentMiB } = figures;
    print(
      `${exported.format} verified ${repetition} of ${repetitions}: ${(verifiedMs / 1000).toFixed(2)} s (${(processorMs / 1000).toFixed(2)} s of the processor), ` +
        `${(verifiedMs / bareMs).toFixed(1)} x parsing and hashing it; ${residentMiB.toFixed(0)} MiB resident at most`,
    );
  }
  const what = `s to verify ${all[0]!.events.toLocaleString('en')} events from ${exported.format}`;
  print(aimLine({ what, figure: median(all.map(({ verifiedMs }) => verifiedMs)) / 1000, atMost: AIM_SECONDS }));
}

/** The only key of this instance, as PEM. */
async function activeKey(instance: Countersign): Promise<string> {
  const { baseUrl } = instance.bootstrap;
  const { activeKeyId } = await json<{ readonly activeKeyId: string }>(baseUrl, 'GET', '/v1/keys', {});
  const { status, stream } = await open(baseUrl, 'GET', `/v1/keys/${activeKeyId}`, {});
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  if (status !== 200) throw new Error(`the key ${activeKeyId} was not answered: ${status}`);
  return Buffer.concat(chunks).toString('utf8');
}
