import { createConnection } from 'mongoose';
import { readingOptions } from '@countersign/document-store';
import type { StoredTables } from '@countersign/document-store';
import { collectionsOf } from './mongo.js';

/** The store as the tables of the store in SQLite. */
export async function openStoredTables(uri: string): Promise<StoredTables> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const { facts, positions } = collectionsOf(connection);
  return {
    tables: [
      {
        name: 'facts',
        columns: ['kind', 'id', 'version', 'body'],
        async *rows() {
          for await (const { kind, id, version, body } of facts.find()) yield [kind, id, version, body];
        },
      },
      {
        name: 'positions',
        columns: ['topic', 'partition', 'next_offset'],
        async *rows() {
          for await (const { _id, next } of positions.find()) {
            const [topic = '', partition] = _id.split('/');
            yield [topic, Number(partition), next];
          }
        },
      },
    ],
    close: () => connection.close(),
  };
}
