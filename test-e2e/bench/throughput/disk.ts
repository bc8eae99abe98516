import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../load/samples.js';
import type { DiskFigures } from '../subjects/bare-disk.js';
import { startProgram } from '../subjects/program.js';

const PROGRAM = fileURLToPath(new URL('../subjects/bare-disk.js', import.meta.url));

/** Measures the disk below `folder` at a rate of records, while nothing else of this run is active. */
export function measureDisk(
  folder: string,
  perSecond: number,
  seconds: number,
  core: number | undefined,
): Promise<DiskFigures> {
  const child = startProgram(PROGRAM, [join(folder, 'disk'), String(perSecond), String(seconds)], { core });
  return new Promise((resolve, reject) => {
    child.once('message', (figures) => resolve(figures as DiskFigures));
    child.once('exit', (code) => reject(new Error(`the program that measures the disk ended with ${String(code)}`)));
  });
}

/** One line per rate: the medians over the repetitions. */
export function diskLines(measured: ReadonlyMap<number, readonly DiskFigures[]>): string[] {
  const head = 'bare write and fdatasync, 1 core: what the disk allowed in the same run';
  const lines = [...measured].map(([perSecond, figures]) => {
    const middle = (figure: (one: DiskFigures) => number): string => median(figures.map(figure)).toFixed(2);
    const syncs = Math.round(median(figures.map(({ syncsPerSecond }) => syncsPerSecond)));
    return (
      `${perSecond.toLocaleString('en').padStart(8)}/s in ${syncs.toLocaleString('en')} groups: ` +
      `a sync p50 ${middle(({ sync }) => sync.p50)} p99 ${middle(({ sync }) => sync.p99)} ms, ` +
      `a record p50 ${middle(({ record }) => record.p50)} p99 ${middle(({ record }) => record.p99)} ` +
      `p99.9 ${middle(({ record }) => record.p999)} ms`
    );
  });
  return lines.length === 0 ? [] : [head, ...lines, ''];
}
