import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LAYOUT } from '../layout.js';

/** Files of a data directory, by paths relative to it. */
export interface SourceFiles {
  /** SQLite databases. */
  readonly databases: readonly string[];
  /** Bodies of reports: named by a hash of their content, never changed, removed when a report is withdrawn. */
  readonly packages: readonly string[];
  /** All other files: keys, secrets, credentials. They are small and are replaced whole. */
  readonly others: readonly string[];
}

/** Files of a process, unfinished files, write-ahead logs (read through SQLite), copies that a rebuild has kept. */
const TRANSIENT =
  /(^|\/)(lock\.db|lock\.json|running\.json|last-backup\.json|backup\.json|socket-folder|ledger\.lock)$|-(wal|shm|journal)$|\.(tmp|draft|new|unfinished|failed|copying)$|\.damaged-/u;
const PACKAGE = /^[0-9a-f]{64}(\.[a-z]+)?$/u;
const SQLITE = Buffer.from('SQLite format 3\0', 'latin1');

/**
 * Lists the files that belong into a backup.
 * @param known databases that were found before. They are not opened: closing a file releases all locks that this process
 *   holds on it, those of SQLite as well
 */
export function listSource(dataDir: string, known: readonly string[] = []): SourceFiles {
  const databases = [...known];
  const packages: string[] = [];
  const others: string[] = [];
  for (const name of filesIn(dataDir, '')) {
    if (TRANSIENT.test(name) || known.includes(name)) continue;
    if (name.startsWith(`${LAYOUT.packages}/`)) {
      if (PACKAGE.test(name.slice(LAYOUT.packages.length + 1))) packages.push(name);
    } else if (isDatabase(join(dataDir, name))) databases.push(name);
    else others.push(name);
  }
  return { databases, packages, others };
}

function* filesIn(dataDir: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(dataDir, folder)).sort()) {
    const name = folder === '' ? entry : `${folder}/${entry}`;
    const found = statSync(join(dataDir, name), { throwIfNoEntry: false });
    if (found?.isDirectory() === true) yield* filesIn(dataDir, name);
    else if (found?.isFile() === true) yield name;
  }
}

function isDatabase(file: string): boolean {
  const head = Buffer.alloc(SQLITE.length);
  try {
    const descriptor = openSync(file, 'r');
    try {
      readSync(descriptor, head, 0, head.length, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    // Removed since it was listed.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return head.equals(SQLITE);
}
