import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { buildShim } from './build-shim.js';

/** A separate wall clock for the processes that are started with `env`. */
export interface ClockSession {
  /** To be added to the environment of the process under test. Add no other LD_PRELOAD. */
  readonly env: Readonly<Record<string, string>>;
  /** Shifts their wall clock by this much ahead of (or, below 0, behind) the machine's. */
  step(ms: number): void;
}

/** @param folder for the file with the offset; not watched by a fault session */
export function openClockSession(folder: string): ClockSession {
  const file = join(folder, 'clock-offset');
  const step = (ms: number): void => {
    const offset = Buffer.alloc(8);
    offset.writeBigInt64LE(BigInt(ms) * 1_000_000n);
    // Not truncated: the file is mapped.
    const target = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    writeSync(target, offset, 0, 8, 0);
    closeSync(target);
  };
  step(0);
  return { env: { LD_PRELOAD: buildShim('clock-shim'), CLOCK_OFFSET_FILE: file }, step };
}
