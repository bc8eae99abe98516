import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A check whose outcome is still to be told. */
export interface PendingCheck {
  readonly eventId: string;
  readonly agentId: string;
}

const KEPT_MS = 24 * 3600 * 1000;
const SWEPT_EVERY_MS = 3600 * 1000;

/** Where checks wait for their outcomes: of this user alone, on this machine, gone when it starts again. */
export const defaultFolder = (): string =>
  // By number: a user of a container often has no name. Windows has no numbers, and a temporary folder for each user.
  join(tmpdir(), `countersign-hook-${process.getuid?.() ?? 'user'}`);

/** One name for one tool call, in any process: 64 hex characters. */
export function callKey(sessionId: string | undefined, toolUseId: string): string {
  return createHash('sha256')
    .update(JSON.stringify([sessionId ?? null, toolUseId]))
    .digest('hex');
}

/**
 * Carries the event of a check from the process that is asked before a tool call to the one that is told afterwards: a
 * file for each call. What no outcome came for within a day is dropped.
 */
export class PendingChecks {
  constructor(private readonly folder: string) {}

  /** @throws where the folder is somebody else's, or cannot be written */
  remember(key: string, check: PendingCheck): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    this.#insist();
    this.#sweep(Date.now());
    const file = join(this.folder, key);
    writeFileSync(`${file}.tmp`, JSON.stringify(check), { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  }

  /** `null` where there is none; afterwards it is there no more. */
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

  /** Temporary folders are everybody's: another user could have laid out this one. */
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
      // It never was.
    }
    writeFileSync(mark, '', { mode: 0o600 });
    for (const name of readdirSync(this.folder)) {
      const file = join(this.folder, name);
      try {
        if (name !== 'swept' && now - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true });
      } catch {
        // Another process took it meanwhile.
      }
    }
  }
}
