import { existsSync, readFileSync } from 'node:fs';

/** A write or sync recorded by the shim. Times are `process.hrtime.bigint()` of the same machine. */
export interface FileCall {
  readonly kind: 'write' | 'fsync';
  readonly beganNs: bigint;
  readonly endedNs: bigint;
  /** Bytes written; 0 for a sync and for a failure. */
  readonly bytes: number;
  /** The errno of the caller, or 0. */
  readonly errno: number;
  readonly path: string;
}

const LINE = /^(write|fsync) (\d+) (\d+) (\d+) (\d+) (.+)$/;

/** Reads FAULT_STATS; a truncated last line is ignored. */
export function readFileCalls(stats: string): readonly FileCall[] {
  if (!existsSync(stats)) return [];
  return readFileSync(stats, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [, kind, began, ended, bytes, errno, path] = LINE.exec(line) ?? [];
      if (kind === undefined || path === undefined) throw new Error(`not a line of the fault shim: ${line}`);
      return {
        kind: kind === 'write' ? ('write' as const) : ('fsync' as const),
        beganNs: BigInt(began ?? 0),
        endedNs: BigInt(ended ?? 0),
        bytes: Number(bytes),
        errno: Number(errno),
        path,
      };
    });
}

/** A request to the service under test and the time of its answer, by `process.hrtime.bigint()`. */
export interface AnsweredRequest {
  readonly id: string;
  readonly sentNs: bigint;
  readonly answeredNs: bigint;
}

/**
 * The requests that were answered although, between sending and answer, no successful sync of a file whose path
 * contains `file` followed a write to it: their answers preceded their sync. Exact for sequential requests; with
 * concurrent ones another's write and sync may be mistaken for theirs, and `dropUnsynced` is the stricter test.
 */
export function answeredBeforeSync(
  requests: readonly AnsweredRequest[],
  calls: readonly FileCall[],
  file: string,
): readonly string[] {
  const concerned = calls.filter(({ path, errno }) => path.includes(file) && errno === 0);
  const writes = concerned.filter(({ kind }) => kind === 'write').sort((a, b) => compare(a.endedNs, b.endedNs));
  const syncs = concerned.filter(({ kind }) => kind === 'fsync').sort((a, b) => compare(a.endedNs, b.endedNs));
  return requests
    .filter(({ sentNs, answeredNs }) => {
      const firstWrite = writes[firstAfter(writes, sentNs)];
      if (firstWrite === undefined) return true;
      // Later syncs end later: the first that began after the write decides.
      for (let i = firstAfter(syncs, firstWrite.endedNs); i < syncs.length; i += 1) {
        const sync = syncs[i];
        if (sync === undefined || sync.endedNs > answeredNs) return true;
        if (sync.beganNs >= firstWrite.endedNs) return false;
      }
      return true;
    })
    .map(({ id }) => id);
}

/** Index of the first call that ended after `time`; the calls are in the order in which they ended. */
function firstAfter(calls: readonly FileCall[], time: bigint): number {
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((calls[middle]?.endedNs ?? 0n) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
