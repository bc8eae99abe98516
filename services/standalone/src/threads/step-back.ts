import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** About a third of what a thread of ordinary priority gets of a core that both want. */
const NICE = 5;

/**
 * Lets the other threads of the process go first where they want the same core: what follows from a check can wait, the
 * check cannot. Linux gives each thread a priority of its own; elsewhere nothing changes.
 */
export function stepBack(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICE);
  } catch {
    // No such file, or not allowed: all threads are alike then.
  }
}
