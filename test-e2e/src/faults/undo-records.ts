import { existsSync, readFileSync } from 'node:fs';

/** The `span` bytes at `offset` before a write or a truncation; `bytes` is shorter if the file ended there. */
export interface UndoRecord {
  readonly offset: number;
  readonly previousSize: number;
  readonly span: number;
  readonly bytes: Uint8Array;
}

/** A record whose sync failed: lost, except for the pages that a later write and sync included. */
export interface LostRecord extends UndoRecord {
  readonly savedPages: ReadonlySet<number>;
  /** A later sync succeeded: the file's size is then durable. */
  readonly isSizeDurable: boolean;
}

export interface FileJournal {
  readonly lost: readonly LostRecord[];
  /** Written after the last sync, oldest first. */
  readonly unsynced: readonly UndoRecord[];
}

export const PAGE_BYTES = 4096;
const HEADER_BYTES = 40;
const MAGIC = 0x4f444e55;

/** The pages of the file that `record` touches. */
function pagesOf({ offset, span }: UndoRecord): readonly number[] {
  const first = Math.floor(offset / PAGE_BYTES);
  const last = Math.floor((offset + Math.max(span, 1) - 1) / PAGE_BYTES);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/**
 * Reads one file's undo records (`struct record` of the shim's journal.c). An unfinished last record is ignored: the
 * shim writes the record first, so its write did not happen.
 */
export function readFileJournal(path: string): FileJournal {
  let lost: LostRecord[] = [];
  let unsynced: UndoRecord[] = [];
  if (!existsSync(path)) return { lost, unsynced };
  const file = readFileSync(path);
  for (let at = 0; at + HEADER_BYTES <= file.length;) {
    if (file.readUInt32LE(at) !== MAGIC) throw new Error(`${path}: no undo record at ${at}`);
    const kind = file.readUInt32LE(at + 4);
    const number = (offset: number): number => Number(file.readBigUInt64LE(at + offset));
    const end = at + HEADER_BYTES + number(32);
    if (end > file.length) break;
    const record = {
      offset: number(8),
      previousSize: number(16),
      span: number(24),
      bytes: file.subarray(at + HEADER_BYTES, end),
    };
    if (kind === 1 || kind === 2) {
      unsynced.push(record);
    } else if (kind === 3) {
      lost.push(...unsynced.map((one) => ({ ...one, savedPages: new Set<number>(), isSizeDurable: false })));
      unsynced = [];
    } else {
      const synced = new Set(unsynced.flatMap(pagesOf));
      lost = lost.map((one) => ({
        ...one,
        savedPages: new Set([...one.savedPages, ...synced]),
        isSizeDurable: true,
      }));
      unsynced = [];
    }
    at = end;
  }
  return { lost, unsynced };
}
