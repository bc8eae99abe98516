import Database from 'better-sqlite3';

/** An empty database in a temporary file, which the system removes: for what would grow in memory with the events. */
export function scratch(): Database.Database {
  const store = new Database('');
  store.pragma('journal_mode = OFF');
  store.pragma('synchronous = OFF');
  return store;
}

/** A set of strings in a temporary file. */
export class ScratchSet {
  readonly #database = scratch();
  readonly #add;
  readonly #find;

  constructor() {
    this.#database.exec('CREATE TABLE kept (key TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN');
    this.#add = this.#database.prepare<[string]>('INSERT OR IGNORE INTO kept VALUES (?)');
    this.#find = this.#database.prepare<[string], number>('SELECT 1 FROM kept WHERE key = ?').pluck();
  }

  add(key: string): void {
    this.#add.run(key);
  }

  has(key: string): boolean {
    return this.#find.get(key) !== undefined;
  }

  close(): void {
    this.#database.close();
  }
}
