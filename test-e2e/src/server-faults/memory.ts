import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 250;
/** The first seconds fill the young generation of the heap. */
const SETTLED_AFTER = 12;
const COMPARED = 12;

/** Minimum number of samples for {@link growthMiB}; a busy machine samples less often. */
export const ENOUGH_TO_GROW = SETTLED_AFTER + 2 * COMPARED;

/** Samples of the resident memory of a process, MiB, for this long, and at least this many. */
export async function residentFor(pid: number, forMs: number, atLeast = 0): Promise<readonly number[]> {
  const resident: number[] = [];
  const until = Date.now() + forMs;
  for (; Date.now() < until || resident.length < atLeast; await sleep(LOOK_EVERY_MS)) {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    resident.push(Number(kib) / 1024);
  }
  return resident;
}

/** Growth from the first three seconds to the end, over at least nine seconds. */
export function growthMiB(resident: readonly number[]): number {
  const before = resident.slice(SETTLED_AFTER, SETTLED_AFTER + COMPARED);
  const after = resident.slice(-COMPARED);
  if (resident.length < ENOUGH_TO_GROW) throw new Error(`looked at ${resident.length} times only`);
  return median(after) - median(before);
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
