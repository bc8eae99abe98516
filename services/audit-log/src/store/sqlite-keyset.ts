import { openDatabase } from '@countersign/document-store';
import type { SqliteDatabase } from '@countersign/document-store';
import type { EventFilter } from '../domain/event-filter.js';
import type { Cursor, KeysetPage } from './port.js';
import { MIGRATIONS } from './schema.js';
import { SqliteList } from './sqlite-list.js';
import type { SqliteNumbers } from './sqlite-numbers.js';

/**
 * Keyset pagination on a connection of its own with a small cache, opened for the first page: it reads every database page
 * once, and would evict from the store's cache the pages that lists and appends use again.
 */
export class SqliteKeyset {
  readonly #file: string;
  readonly #numbers: SqliteNumbers;
  #opened: { readonly database: SqliteDatabase; readonly list: SqliteList } | null = null;

  /** @param file that the store has open */
  constructor(file: string, numbers: SqliteNumbers) {
    this.#file = file;
    this.#numbers = numbers;
  }

  pageAfter(accountId: string, filter: EventFilter, after: Cursor | null, limit: number): KeysetPage {
    this.#opened ??= this.#open();
    return this.#opened.list.pageAfter(accountId, filter, after, limit);
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
