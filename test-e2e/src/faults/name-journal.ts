import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A change of names that was not synced. Inodes are decimal; `kept-<inode>` in the journal holds the file. */
export type NameChange =
  | { readonly kind: 'created'; readonly inode: string; readonly path: string }
  | { readonly kind: 'unlinked'; readonly inode: string; readonly path: string }
  | { readonly kind: 'renamed'; readonly replaced: string; readonly from: string; readonly to: string };

/**
 * Reads the shim's journal of names: C(reated), U(nlinked), R(enamed), S(ynced inode), D(irectory synced).
 * @returns changes that are not durable, oldest first.
 */
export function readNameJournal(path: string): readonly NameChange[] {
  if (!existsSync(path)) return [];
  let pending: NameChange[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const [, letter, id, rest = ''] = /^([CURS]) (\d+)(?: (.*))?$/.exec(line) ?? [];
    const folder = /^D (.*)$/.exec(line)?.[1];
    if (folder !== undefined) pending = pending.filter((change) => folderOf(change) !== folder);
    else if (id === undefined) throw new Error(`${path}: not a line of the fault shim: ${line}`);
    else if (letter === 'C') pending.push({ kind: 'created', inode: id, path: rest });
    else if (letter === 'U') pending.push({ kind: 'unlinked', inode: id, path: rest });
    else if (letter === 'R') {
      const [from = '', to = ''] = rest.split('\t');
      pending.push({ kind: 'renamed', replaced: id, from, to });
    } else pending = pending.filter((change) => change.kind !== 'created' || change.inode !== id);
  }
  return pending;
}

/** The folder whose sync makes the change durable. */
function folderOf(change: NameChange): string {
  return dirname(change.kind === 'renamed' ? change.to : change.path);
}
