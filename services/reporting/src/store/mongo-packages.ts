import { createConnection, mongo } from 'mongoose';
import { readingOptions } from '@countersign/document-store';
import { requireBlobName } from '../blobs/blob-store.js';
import { PACKAGES } from './mongo-blobs.js';

/** Packages in GridFS. */
export interface StoredPackages {
  /** Bytes; `null`: it does not exist. */
  size(name: string): Promise<number | null>;
  /** @throws if parts of it are missing */
  read(name: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens the packages in GridFS, read-only. */
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
