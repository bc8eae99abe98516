import { statfsSync } from 'node:fs';

/** Minimum interval between queries of the file system, ms. */
const LOOK_EVERY_MS = 250;
/** Kept free by default: 64 MiB, on a small file system a twentieth of it. */
const KEPT_FREE_BYTES = 64 * 1024 * 1024;
const KEPT_FREE_PART = 20;

/** Reports when a file system has too little room for the next commits, so that they are refused before it is full. */
export class DiskSpace {
  readonly #folder: string;
  readonly #keptFree: number | null;
  readonly #now: () => number;
  #lookedAt = -Infinity;
  #shortage: string | null = null;

  /** @param keptFree bytes; `null`: 64 MiB, on a small file system a twentieth of it */
  constructor(folder: string, keptFree: number | null, now: () => number = () => performance.now()) {
    this.#folder = folder;
    this.#keptFree = keptFree;
    this.#now = now;
  }

  /** The reason why nothing must be written, or `null`. A file system that does not report its size is never short. */
  shortage(): string | null {
    if (this.#now() - this.#lookedAt < LOOK_EVERY_MS) return this.#shortage;
    this.#lookedAt = this.#now();
    try {
      const { bavail, bsize, blocks } = statfsSync(this.#folder);
      const kept = this.#keptFree ?? Math.min(KEPT_FREE_BYTES, (blocks * bsize) / KEPT_FREE_PART);
      // More than the reserve must be free again, or it would alternate between refusing and accepting.
      const needed = this.#shortage === null ? kept : kept * 1.25;
      const free = bavail * bsize;
      this.#shortage =
        blocks > 0 && free < needed
          ? `the disk of ${this.#folder} is full: ${mebibytes(free)} MiB are free, ${mebibytes(needed)} are needed; make room, nothing has to be restarted`
          : null;
    } catch {
      this.#shortage = null;
    }
    return this.#shortage;
  }
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
