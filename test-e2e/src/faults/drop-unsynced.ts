import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type NameChange, readNameJournal } from './name-journal.js';
import { type FileJournal, PAGE_BYTES, type UndoRecord, readFileJournal } from './undo-records.js';

export interface DropOptions {
  /**
   * How many of a file's `unsynced` writes, oldest first, reached the disk anyway: the system may write back at
   * any time. Default: none.
   */
  readonly keep?: (path: string, unsynced: number) => number;
}

/** Effects of the power loss, by path. */
export interface Dropped {
  readonly writes: Readonly<Record<string, number>>;
  readonly names: readonly string[];
}

/**
 * Restores the files below `directory` to the state after a power loss with an empty page cache: names first, then
 * contents, newest change first. A sync of a file makes its contents and its creation durable, as on ext4; renames
 * and deletions are durable when their folder was synced. Empties `journal`.
 * @throws if a journal is not one of the fault shim.
 */
export function dropUnsynced(directory: string, journal: string, options: DropOptions = {}): Dropped {
  const changes = readNameJournal(join(journal, 'names'));
  for (const change of changes.toReversed()) undoName(change, journal);

  const writes: Record<string, number> = {};
  for (const path of filesBelow(directory)) {
    if (path.endsWith('-shm')) {
      unlinkSync(path);
      continue;
    }
    const records = readFileJournal(join(journal, `file-${statSync(path).ino}`));
    const kept = Math.max(0, options.keep?.(path, records.unsynced.length) ?? 0);
    const undone = undoWrites(path, { lost: records.lost, unsynced: records.unsynced.slice(kept) });
    if (undone > 0) writes[path] = undone;
  }
  rmSync(journal, { recursive: true });
  mkdirSync(journal);
  return { writes, names: changes.map(describe) };
}

function undoName(change: NameChange, journal: string): void {
  switch (change.kind) {
    case 'created':
      rmSync(change.path, { force: true });
      return;
    case 'unlinked':
      rmSync(change.path, { force: true });
      linkSync(join(journal, `kept-${change.inode}`), change.path);
      return;
    case 'renamed':
      if (existsSync(change.to)) renameSync(change.to, change.from);
      if (change.replaced !== '0') linkSync(join(journal, `kept-${change.replaced}`), change.to);
      return;
  }
}

function describe(change: NameChange): string {
  return change.kind === 'renamed' ? `${change.from} renamed to ${change.to}` : `${change.path} ${change.kind}`;
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function undoWrites(path: string, { lost, unsynced }: FileJournal): number {
  if (lost.length + unsynced.length === 0) return 0;
  const file = openSync(path, 'r+');
  try {
    for (const record of unsynced.toReversed()) {
      putBack(file, record.offset, record.bytes);
      ftruncateSync(file, record.previousSize);
    }
    for (const record of lost.toReversed()) {
      for (const piece of piecesWithout(record, record.savedPages, fstatSync(file).size)) {
        putBack(file, piece.offset, piece.bytes);
      }
      if (!record.isSizeDurable) ftruncateSync(file, record.previousSize);
    }
  } finally {
    closeSync(file);
  }
  return lost.length + unsynced.length;
}

function putBack(file: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, offset + done);
}

/** The record page by page, except saved ones, with zeros beyond the former end of the file; nothing past `size`. */
function piecesWithout(
  record: UndoRecord,
  saved: ReadonlySet<number>,
  size: number,
): readonly { readonly offset: number; readonly bytes: Uint8Array }[] {
  const pieces = [];
  const end = Math.min(record.offset + record.span, Math.max(size, record.offset + record.bytes.length));
  for (let at = record.offset; at < end;) {
    const page = Math.floor(at / PAGE_BYTES);
    const next = Math.min(end, (page + 1) * PAGE_BYTES);
    if (!saved.has(page)) {
      const bytes = new Uint8Array(next - at);
      bytes.set(record.bytes.subarray(at - record.offset, next - record.offset));
      pieces.push({ offset: at, bytes });
    }
    at = next;
  }
  return pieces;
}
