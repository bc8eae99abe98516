import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A check whose outcome has not been reported. */
export interface PendingCheck {
  readonly eventId: string;
  readonly agentId: string;
}

const KEPT_MS = 24 * 3600 * 1000;
const SWEPT_EVERY_MS = 3600 * 1000;

/** Folder of the checks without an outcome: private to this user and machine, removed on reboot. */
export const defaultFolder = (): string =>
  // By user number: a user of a container often has no name. Windows has no numbers, but a temporary folder per user.
  join(tmpdir(), `countersign-hook-${process.getuid?.() ?? 'user'}`);

/** Name of a tool call, the same in every process: 64 hex characters. */
export function callKey(sessionId: string | undefined, toolUseId: string): string {
  return createHash('sha256')
    .update(JSON.stringify([sessionId ?? null, toolUseId]))
    .digest('hex');
}

/**
 * Passes the event of a check from the process that runs before a tool call to the one that runs after it, in one file
 * per call. A file without an outcome is dropped after a day.
 */
export class PendingChecks {
  constructor(private readonly folder: string) {}

  /** @throws if the folder belongs to another user, or cannot be written */
  remember(key: string, check: PendingCheck): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    this.#insist();
    this.#sweep(Date.now());
    const file = join(this.folder, key);
    writeFileSync(`${file}.tmp`, JSON.stringify(check), { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  }

  /** Reads and removes a check; `null` if there is none. */
  take(key: string): PendingCheck | null {
    const file = join(this.folder, key);
    try {
      this.#insist();
      const check = JSON.parse(readFileSync(file, 'utf8')) as PendingCheck;
      rmSync(file, { force: true });
      return typeof check.eventId === 'string' && typeof check.agentId === 'string' ? check : null;
    } catch {
      return null;
    }
  }

  /** Temporary folders are shared: another user could have created this one. */
  #insist(): void {
    const found = lstatSync(this.folder);
    const uid = process.getuid?.();
    if (!found.isDirectory() || (uid !== undefined && (found.uid !== uid || (found.mode & 0o077) !== 0))) {
      throw new Error(`${this.folder} is not a folder of this user alone: remove it`);
    }
  }

  #sweep(now: number): void {
    const mark = join(this.folder, 'swept');
    try {
      if (now - statSync(mark).mtimeMs < SWEPT_EVERY_MS) return;
    } catch {
      // Never swept before.
    }
    writeFileSync(mark, '', { mode: 0o600 });
    for (const name of readdirSync(this.folder)) {
      const file = join(this.folder, name);
      try {
        if (name !== 'swept' && now - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true });
      } catch {
        // Another process removed it first.
      }
    }
  }
}
