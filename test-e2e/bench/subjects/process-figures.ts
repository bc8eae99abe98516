import { readFile, writeFile } from 'node:fs/promises';

export interface Memory {
  /** Resident now, MiB. */
  readonly resident: number;
  /** Of it what the process itself has filled, MiB: no pages of files, which the kernel keeps and takes as it likes. */
  readonly anonymous: number;
  /** Most that was resident since the start or the last `forgetPeak`, MiB. */
  readonly peak: number;
}

/** Of a process, as Linux tells it; NaN elsewhere. */
export async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
  return { resident: field('VmRSS'), anonymous: field('RssAnon'), peak: field('VmHWM') };
}

/** The peak counts anew from here. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
}

/** Time that all threads of a process have spent on a core, s; NaN where Linux does not tell. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name in parentheses: field 3 first; 14 and 15 are user and system time in ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
