/** What SQLite tells of the write-ahead log, in frames: a frame is a page with its header, some 4 KiB. */
export interface WalPosition {
  /** Frames that it holds. */
  readonly frames: number;
  /** Of those, the ones that are in the file already, synced. */
  readonly moved: number;
}

/** So many frames that are not in the file yet have the checkpoint thread begin. */
export const BEGIN_FRAMES = 1024;
/** From so many on, the writer moves what the thread left over, so that the next commit begins at the front again. */
export const RESET_FRAMES = 4096;
/** With so many, the writer takes nothing before it has moved all: a bound under a load that never pauses. */
export const LIMIT_FRAMES = 8192;
/** Frames before the next try, when a reader kept the writer from moving all. */
export const RETRY_FRAMES = 256;

/**
 * `begin`: ask the thread for a run. `finish`: move the rest between two commits, which is little right after a run.
 * `finish-first`: the same once the thread's run has ended, however much is left.
 */
export type CheckpointStep = 'none' | 'begin' | 'finish' | 'finish-first';

export interface CheckpointState {
  readonly wal: WalPosition;
  /** The thread is at it. */
  readonly underWay: boolean;
  /** A run of the thread has ended since the last step. */
  readonly ended: boolean;
  /** How many frames there were when the writer last could not move all, or `null`. */
  readonly heldUpAt: number | null;
}

/** Who moves the write-ahead log into the file beside the writer. */
export interface CheckpointRuns {
  /** One was asked for and has not ended. */
  readonly underWay: boolean;
  /** So many have ended. */
  readonly ended: number;
  begin(): void;
  /** What went wrong up to now, or `null`. */
  problem(): string | null;
  /** Returns when none is under way; blocks the calling thread meanwhile. */
  wait(): void;
  /** Returns when nothing will touch the files any more; blocks the calling thread meanwhile. */
  stop(): void;
}

/** What to do between two commits. */
export function nextStep({ wal, underWay, ended, heldUpAt }: CheckpointState): CheckpointStep {
  const left = wal.frames - wal.moved;
  const mayFinish = left > 0 && (heldUpAt === null || wal.frames < heldUpAt || wal.frames >= heldUpAt + RETRY_FRAMES);
  if (wal.frames >= LIMIT_FRAMES && mayFinish) return 'finish-first';
  if (underWay) return 'none';
  if (wal.frames >= RESET_FRAMES && mayFinish) return ended ? 'finish' : 'begin';
  return left >= BEGIN_FRAMES ? 'begin' : 'none';
}
