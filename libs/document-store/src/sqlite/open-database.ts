import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';

/** The file is not one that this program has written. It is left untouched. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
  constructor(
    readonly file: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`${file} ${problem}`, options);
  }
}

export type SqliteDatabase = Database.Database;

/**
 * Opens a service's own store: WAL, `synchronous=FULL` (read back, since the build's default in WAL is NORMAL),
 * foreign keys, mode 0600. `migrations[n]` brings the schema from version n to n + 1 (`PRAGMA user_version`), each in
 * one transaction with its number; they are appended to, never changed.
 * @throws StoreDamaged when the file is no SQLite database, fails its quick check, or was written by a newer release
 */
export function openDatabase(file: string, migrations: readonly string[]): SqliteDatabase {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const isNew = !existsSync(file);
  if (isNew) closeSync(openSync(file, 'a', 0o600));
  let database: SqliteDatabase | undefined;
  try {
    database = new Database(file, { timeout: 5_000 });
    prepare(database, file);
    if (isNew) chmodSync(file, 0o600);
    migrate(database, file, migrations);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof StoreDamaged) throw error;
    const { code } = error as { code?: string };
    if (code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT')) {
      throw new StoreDamaged(file, 'is damaged: restore it from a backup, or move it away to begin with an empty one', {
        cause: error,
      });
    }
    throw error;
  }
}

function prepare(database: SqliteDatabase, file: string): void {
  const mode = database.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal') throw new Error(`${file} cannot use a write-ahead log (${String(mode)}): use a local disk`);
  database.pragma('synchronous = FULL');
  if (database.pragma('synchronous', { simple: true }) !== 2) throw new Error(`${file}: synchronous=FULL was refused`);
  database.pragma('foreign_keys = ON');
  database.pragma('trusted_schema = OFF');
}

function migrate(database: SqliteDatabase, file: string, migrations: readonly string[]): void {
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version > migrations.length) {
    throw new StoreDamaged(
      file,
      `was written by a newer release (schema ${version}, this one knows ${migrations.length})`,
    );
  }
  for (let next = version; next < migrations.length; next += 1) {
    database.transaction(() => {
      database.exec(migrations[next]!);
      database.pragma(`user_version = ${next + 1}`);
    })();
  }
}
