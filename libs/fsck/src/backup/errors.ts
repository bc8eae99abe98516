import { words } from '../open-stores.js';

/** There is no backup. The message says why, and what to change; nothing was left at the target. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the file system is full: make room, or name a folder on another one',
  EDQUOT: 'the quota of this user is used up: make room, or name a folder on another file system',
  SQLITE_FULL: 'the file system is full: make room, or name a folder on another one',
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
};

/** Explains an error of the target's file system; returns any other error unchanged. */
export function explained(error: unknown, target: string): unknown {
  const code = (error as { readonly code?: unknown } | null)?.code;
  const reason = typeof code === 'string' ? REASONS[code] : undefined;
  if (reason === undefined) return error;
  return new BackupRefused(`${target} cannot be written: ${reason} (${words(error)})`, { cause: error });
}
