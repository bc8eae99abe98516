import { createConnection, mongo } from 'mongoose';
import { mongoOptions, tellingUnreachable } from '@countersign/document-store';
import { PackageRemoved, type PackageBodies } from './package-bodies.js';

/** The bucket of GridFS in which reporting stores its packages. */
const PACKAGES = 'reporting_packages';

/** @throws when no server answers */
export async function openMongoPackageBodies(uri: string): Promise<PackageBodies> {
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  const bucket = new mongo.GridFSBucket(connection.db!, { bucketName: PACKAGES });
  const files: mongo.Collection<mongo.GridFSFile> = connection.db!.collection(`${PACKAGES}.files`);
  return tellingUnreachable({
    async get(sha256) {
      const file = await files.findOne({ filename: sha256 });
      if (file === null) return null;
      return { bytes: file.length, chunks: chunksOf(file.length, () => bucket.openDownloadStream(file._id)) };
    },
    close: () => connection.close(),
  });
}

/** Opens the stream at the first read, so that an unread package holds no cursor. */
async function* chunksOf(length: number, open: () => AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  let read = 0;
  try {
    for await (const part of open()) {
      read += (part as Buffer).length;
      yield part as Buffer;
    }
  } catch (error) {
    if (read > 0 || !isRemoved(error)) throw error;
    throw new PackageRemoved('the package was removed', { cause: error });
  }
  // The driver ends a stream whose chunks were removed as if it were complete.
  if (read === 0 && length > 0) throw new PackageRemoved('the package was removed');
  if (read < length) throw new Error(`a stored package has ${read} of its ${length} bytes`);
}

/** Its document is removed first, then its chunks: either may be missing. */
function isRemoved(error: unknown): boolean {
  return error instanceof mongo.MongoGridFSChunkError || (error as { readonly code?: unknown }).code === 'ENOENT';
}
