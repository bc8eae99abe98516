import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { buildShim } from './build-shim.js';
import { type DropOptions, type Dropped, dropUnsynced } from './drop-unsynced.js';
import { type FileCall, readFileCalls } from './file-calls.js';

type InjectedError = 'EIO' | 'ENOSPC' | 'EDQUOT' | 'EROFS';

/** Faults of the shim for matching calls, from the next call on. Counting restarts with each setting. */
export interface Faults {
  /** Part of the path of the affected files; default: all below the directory. */
  readonly match?: string;
  /** `short`: half of the bytes are written. `fill`: the first write is short, the following fail with ENOSPC. */
  readonly write?: InjectedError | 'short' | 'fill';
  readonly fsync?: InjectedError;
  /** Delays affect every matching call, regardless of `skip` and `times`. */
  readonly delayWriteMs?: number;
  readonly delayFsyncMs?: number;
  /** Ends the process with SIGKILL at that point. */
  readonly kill?: 'before-write' | 'after-write' | 'before-fsync' | 'after-fsync';
  /** How many calls of a kind pass first. */
  readonly skip?: number;
  /** How many calls of a kind are affected then; default: all. */
  readonly times?: number;
}

export interface FaultSession {
  /** To be added to the environment of the process under test. Add no other LD_PRELOAD. */
  readonly env: Readonly<Record<string, string>>;
  /** Replaces the active faults, also in running processes. */
  inject(faults: Faults): void;
  /** Removes all faults; undo records are still kept. */
  clear(): void;
  /** The writes and syncs below the directory so far, in the order in which they ended. */
  calls(): readonly FileCall[];
  /** Power loss. Call it after every process that was started with `env` has ended. */
  dropUnsynced(options?: DropOptions): Dropped;
  /** Removes the session's own files; leaves the directory. */
  dispose(): void;
}

/**
 * Watches the files below `directory` (created when missing) in every process that is started with `env`.
 * The session's own files are in a new folder next to it, on the same disk.
 */
export function openFaultSession(directory: string): FaultSession {
  mkdirSync(directory, { recursive: true });
  const watched = realpathSync(directory);
  const own = mkdtempSync(join(dirname(watched), `${basename(watched)}-faults-`));
  const journal = join(own, 'journal');
  const control = join(own, 'control');
  const stats = join(own, 'calls');
  mkdirSync(journal);
  const write = (text: string): void => {
    writeFileSync(`${control}.new`, text);
    renameSync(`${control}.new`, control);
  };
  write('');
  return {
    env: {
      LD_PRELOAD: buildShim(),
      FAULT_DIR: watched,
      FAULT_JOURNAL: journal,
      FAULT_CONTROL: control,
      FAULT_STATS: stats,
    },
    inject: (faults) => write(controlText(faults)),
    clear: () => write(''),
    calls: () => readFileCalls(stats),
    dropUnsynced: (options = {}) => dropUnsynced(watched, journal, options),
    dispose: () => rmSync(own, { recursive: true, force: true }),
  };
}

function controlText(faults: Faults): string {
  const lines: readonly (readonly [string, string | number | undefined])[] = [
    ['match', faults.match],
    ['write', faults.write],
    ['fsync', faults.fsync],
    ['delay_write_ms', faults.delayWriteMs],
    ['delay_fsync_ms', faults.delayFsyncMs],
    ['kill', faults.kill],
    ['skip', faults.skip],
    ['times', faults.times],
  ];
  return lines.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}\n`])).join('');
}
