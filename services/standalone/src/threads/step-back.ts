import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** About a third of the share of an ordinary thread on a contended core. */
const NICE = 5;

/**
 * Lowers the priority of the calling thread: processing after a check can wait, the check cannot.
 * Linux has a priority per thread; elsewhere nothing changes.
 */
export function stepBack(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICE);
  } catch {
    // No such file, or not permitted: all threads keep the same priority.
  }
}
