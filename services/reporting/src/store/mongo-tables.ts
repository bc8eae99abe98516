import { createConnection, mongo } from 'mongoose';
import { readingOptions, storedTable, type StoredTables } from '@countersign/service-kit';
import { requireBlobName } from '../blobs/blob-store.js';
import { PACKAGES } from './mongo-blobs.js';
import { collectionsOf } from './mongo.js';

/** Packages as they lie in GridFS. */
export interface StoredPackages {
  /** Bytes; `null`: it is not there. */
  size(name: string): Promise<number | null>;
  /** @throws when parts of it are missing */
  read(name: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The store as the tables of the store in SQLite. */
export async function openStoredTables(uri: string): Promise<StoredTables> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const { reports, anchors, positions, messages } = collectionsOf(connection);
  const tables = [
    storedTable('positions', 'partition next_offset', async function* () {
      for await (const { _id, next } of positions.find()) yield [_id, next];
    }),
    storedTable('reports', 'id created_at version body', async function* () {
      for await (const { _id, createdAt, version, body } of reports.find()) yield [_id, createdAt, version, body];
    }),
    storedTable('anchors', 'key version body', async function* () {
      for await (const { _id, version, body } of anchors.find()) yield [_id, version, body];
    }),
    storedTable('outbox', 'topic key', async function* () {
      for await (const { topic, key } of messages.find()) yield [topic, key];
      for await (const { outbox } of reports.find({ 'outbox.id': { $gt: '' } })) {
        for (const { topic, key } of outbox) yield [topic, key];
      }
    }),
  ];
  return { tables, close: () => connection.close() };
}

export async function openStoredPackages(uri: string): Promise<StoredPackages> {
  const connection = await createConnection(uri, readingOptions(uri)).asPromise();
  const bucket = new mongo.GridFSBucket(connection.db!, { bucketName: PACKAGES });
  const files: mongo.Collection<mongo.GridFSFile> = connection.db!.collection(`${PACKAGES}.files`);
  return {
    size: async (name) => (await files.findOne({ filename: requireBlobName(name) }))?.length ?? null,
    async read(name) {
      const parts: Buffer[] = [];
      for await (const part of bucket.openDownloadStreamByName(requireBlobName(name))) parts.push(part as Buffer);
      return Buffer.concat(parts);
    },
    close: () => connection.close(),
  };
}
