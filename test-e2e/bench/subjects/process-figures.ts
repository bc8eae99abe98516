import { readFile, writeFile } from 'node:fs/promises';

export interface Memory {
  /** Resident now, MiB. */
  readonly resident: number;
  /** Anonymous part of it, MiB: without file pages, which the kernel caches. */
  readonly anonymous: number;
  /** Peak since the start or the last `forgetPeak`, MiB. */
  readonly peak: number;
}

/** Memory of a process, from Linux; NaN elsewhere. */
export async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
  return { resident: field('VmRSS'), anonymous: field('RssAnon'), peak: field('VmHWM') };
}

/** Resets the peak. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
}

/** CPU time of all threads of a process, s; NaN without Linux. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name in parentheses: field 3 first; 14 and 15 are user and system time in ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
