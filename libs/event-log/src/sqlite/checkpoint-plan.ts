/** SQLite's state of the write-ahead log, in frames: a frame is a page with its header, some 4 KiB. */
export interface WalPosition {
  /** Frames in it. */
  readonly frames: number;
  /** Frames that are already in the file, synced. */
  readonly moved: number;
}

/** Frames not yet in the file at which the checkpoint thread starts. */
export const BEGIN_FRAMES = 1024;
/** Frames at which the writer moves what the thread left, so that the next commit starts at the front again. */
export const RESET_FRAMES = 4096;
/** Frames at which the writer accepts nothing before it has moved all: a bound under continuous load. */
export const LIMIT_FRAMES = 8192;
/** Frames before the next attempt, when a reader kept the writer or the thread from moving all, such as a backup. */
export const RETRY_FRAMES = 256;

/**
 * `begin`: ask the thread for a run. `finish`: move the rest between two commits, which is little right after a run.
 * `finish-first`: the same once the thread's run has ended, however much is left.
 */
export type CheckpointStep = 'none' | 'begin' | 'finish' | 'finish-first';

export interface CheckpointState {
  readonly wal: WalPosition;
  /** The thread is running. */
  readonly underWay: boolean;
  /** A run of the thread has ended since the last step. */
  readonly ended: boolean;
  /** Number of frames when the writer last could not move all, or `null`. */
  readonly heldUpAt: number | null;
  /** Number of frames when the thread was last asked for a run, or `null`. */
  readonly begunAt: number | null;
}

/** Moves the write-ahead log into the file, concurrently with the writer. */
export interface CheckpointRuns {
  /** A run was requested and has not ended. */
  readonly underWay: boolean;
  /** Number of ended runs. */
  readonly ended: number;
  begin(): void;
  /** The first error so far, or `null`. */
  problem(): string | null;
  /** Returns when no run is pending; blocks the calling thread meanwhile. */
  wait(): void;
  /** Returns when it no longer touches the files; blocks the calling thread meanwhile. */
  stop(): void;
}

/** The step to take between two commits. */
export function nextStep({ wal, underWay, ended, heldUpAt, begunAt }: CheckpointState): CheckpointStep {
  const left = wal.frames - wal.moved;
  const mayFinish = left > 0 && (heldUpAt === null || wal.frames < heldUpAt || wal.frames >= heldUpAt + RETRY_FRAMES);
  if (wal.frames >= LIMIT_FRAMES && mayFinish) return 'finish-first';
  if (underWay) return 'none';
  if (wal.frames >= RESET_FRAMES && mayFinish) return ended ? 'finish' : 'begin';
  // The run before this one left so many frames only if a reader still needs them.
  const isNew = begunAt === null || wal.frames < begunAt || wal.frames >= begunAt + RETRY_FRAMES;
  return left >= BEGIN_FRAMES && isNew ? 'begin' : 'none';
}
