import { openDatabase } from '@countersign/document-store';
import type { SqliteDatabase } from '@countersign/document-store';
import type { EventFilter } from '../domain/event-filter.js';
import type { Place, Walked } from './port.js';
import { MIGRATIONS } from './schema.js';
import { SqliteList } from './sqlite-list.js';
import type { SqliteNumbers } from './sqlite-numbers.js';

/**
 * Walks by a connection of their own with a small cache, opened for the first one: a walk reads every page once, and would
 * push out of the store's cache what lists and appends come back to.
 */
export class SqliteWalks {
  readonly #file: string;
  readonly #numbers: SqliteNumbers;
  #opened: { readonly database: SqliteDatabase; readonly list: SqliteList } | null = null;

  /** @param file that the store has open */
  constructor(file: string, numbers: SqliteNumbers) {
    this.#file = file;
    this.#numbers = numbers;
  }

  walk(accountId: string, filter: EventFilter, after: Place | null, limit: number): Walked {
    this.#opened ??= this.#open();
    return this.#opened.list.walk(accountId, filter, after, limit);
  }

  close(): void {
    this.#opened?.database.close();
    this.#opened = null;
  }

  #open(): { readonly database: SqliteDatabase; readonly list: SqliteList } {
    const database = openDatabase(this.#file, MIGRATIONS);
    database.pragma('cache_size = -2048');
    database.pragma('query_only = ON');
    return { database, list: new SqliteList(database, this.#numbers) };
  }
}
