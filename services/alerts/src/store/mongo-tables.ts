import { createConnection, type mongo } from 'mongoose';
import { readingOptions, storedTable, type StoredTables } from '@countersign/service-kit';
import type { MessageDocument } from './mongo-messages.js';
import type { DestinationDocument } from './mongo.js';
import type { PositionDocument, ThreadDocument } from './mongo-threads.js';

/** The store as the tables of the store in SQLite. */
export async function openStoredTables(uri: string): Promise<StoredTables> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const db = connection.db!;
  const destinations: mongo.Collection<DestinationDocument> = db.collection('alerts_destinations');
  const threads: mongo.Collection<ThreadDocument> = db.collection('alerts_threads');
  const messages: mongo.Collection<MessageDocument> = db.collection('alerts_messages');
  const positions: mongo.Collection<PositionDocument> = db.collection('alerts_positions');
  return {
    tables: [
      storedTable('destinations', 'id account_id created_at enabled revision body', async function* () {
        for await (const { _id, accountId, createdAt, enabled, revision, body } of destinations.find())
          yield [_id, accountId, createdAt, Number(enabled), revision, body];
      }),
      storedTable('threads', 'key destination_id window_ends_ms sum_due_ms body', async function* () {
        for await (const { _id, destinationId, windowEndsMs, sumDueMs, body } of threads.find())
          yield [_id, destinationId, windowEndsMs, sumDueMs, body];
      }),
      storedTable('messages', 'id destination_id created_ms due_ms token body', async function* () {
        for await (const { _id, destinationId, createdAtMs, dueAtMs, token, body } of messages.find())
          yield [_id, destinationId, createdAtMs, dueAtMs, token, body];
      }),
      storedTable('positions', 'partition next', async function* () {
        for await (const { _id, next } of positions.find()) yield [_id, next];
      }),
    ],
    close: () => connection.close(),
  };
}
