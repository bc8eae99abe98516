import Database from 'better-sqlite3';
import { OtherLayout, type Problem } from '../inspect.js';
import type { SqliteDatabase } from './open-database.js';

/** A query for rows that must not exist, and what is wrong with them. Its columns name the row. */
export type RowQuestion = readonly [table: string, query: string, problem: string];

/** @throws where there is no file */
export function openReadOnly(file: string): SqliteDatabase {
  return new Database(file, { readonly: true, fileMustExist: true });
}

/**
 * Opens a service's own tables read-only. Nothing is created or migrated.
 * @param migrations as `openDatabase` takes them
 * @throws OtherLayout when another release wrote the file last
 */
export function openForInspection(file: string, migrations: readonly string[]): SqliteDatabase {
  const database = openReadOnly(file);
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version === migrations.length) return database;
  database.close();
  throw new OtherLayout(`its schema is version ${version}, this release has ${migrations.length}`);
}

/** Rows that the questions find. A question that fails is itself a problem: a row has made its query fail. */
export function* rowProblems(database: SqliteDatabase, questions: readonly RowQuestion[]): Generator<Problem> {
  for (const [table, query, problem] of questions) {
    try {
      for (const row of database.prepare(query).raw().iterate() as IterableIterator<unknown[]>) {
        yield { place: `${table} ${row.map(shown).join(' ')}`, problem };
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      yield { place: table, problem: `a row of it cannot be read: ${message}` };
    }
  }
}

/** Rows of which a column holds text that is not JSON. */
export function notJson(table: string, id: string, column: string): RowQuestion {
  return [
    table,
    `SELECT ${id} FROM ${table} WHERE ${column} IS NOT NULL AND NOT json_valid(${column})`,
    `its ${column} is not JSON`,
  ];
}

function shown(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('hex') : String(value);
}
