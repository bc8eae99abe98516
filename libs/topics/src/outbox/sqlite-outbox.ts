import type { NewRecord } from '@countersign/event-log';
import type { SqliteDatabase } from '@countersign/document-store';
import type { OutboxStore, RowId } from './relay.js';

/** Migration of a store with an outbox. */
export const OUTBOX_SCHEMA = `
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  topic TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
`;

export interface SqliteOutbox extends OutboxStore {
  /** Called inside the caller's transaction, with the change that the records publish. */
  put(records: readonly NewRecord[]): void;
}

interface StoredRow {
  readonly id: number;
  readonly topic: NewRecord['topic'];
  readonly key: string;
  readonly value: string;
}

export function sqliteOutbox(database: SqliteDatabase): SqliteOutbox {
  const insert = database.prepare('INSERT INTO outbox (topic, key, value) VALUES (?, ?, ?)');
  const select = database.prepare<[number], StoredRow>('SELECT id, topic, key, value FROM outbox ORDER BY id LIMIT ?');
  const remove = database.prepare('DELETE FROM outbox WHERE id = ?');
  const removeAll = database.transaction((ids: readonly RowId[]) => {
    for (const id of ids) remove.run(id);
  });
  return {
    put(records) {
      for (const { topic, key, value } of records) insert.run(topic, key, value);
    },
    async pending(limit) {
      return select.all(limit).map(({ id, topic, key, value }) => ({ id, record: { topic, key, value } }));
    },
    async sent(ids) {
      removeAll(ids);
    },
  };
}
