import { createConnection, mongo, type Connection } from 'mongoose';
import { isDuplicateKey, mongoOptions, tellingUnreachable } from '@countersign/document-store';
import { requireBlobName, type BlobStore } from '../blobs/blob-store.js';

/** Bucket of GridFS. */
export const PACKAGES = 'reporting_packages';
/** An older upload was left by a killed process: uploads never take this long. */
const ABANDONED_MS = 60 * 60 * 1000;

/** An upload in progress, or a removal; deleted once its file is complete, or completely removed. */
interface DraftDocument {
  readonly _id: mongo.ObjectId;
  readonly begunAt: Date;
}

/**
 * GridFS: the chunks of a blob, then the one document that makes it a file. Removes unfinished uploads of killed processes.
 * @param abandonedMs age at which an upload counts as abandoned
 * @throws if no server answers
 */
export async function openMongoBlobs(uri: string, abandonedMs: number = ABANDONED_MS): Promise<BlobStore> {
  const connection = await createConnection(uri, { ...mongoOptions(uri), maxPoolSize: 5 }).asPromise();
  try {
    const blobs = new MongoBlobs(connection, abandonedMs);
    await blobs.prepare();
    return tellingUnreachable(blobs);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class MongoBlobs implements BlobStore {
  readonly #connection: Connection;
  readonly #abandonedMs: number;
  readonly #bucket: mongo.GridFSBucket;
  readonly #files: mongo.Collection<mongo.GridFSFile>;
  readonly #chunks: mongo.Collection<mongo.GridFSChunk>;
  readonly #drafts: mongo.Collection<DraftDocument>;

  constructor(connection: Connection, abandonedMs: number) {
    const db = connection.db!;
    this.#connection = connection;
    this.#abandonedMs = abandonedMs;
    this.#bucket = new mongo.GridFSBucket(db, { bucketName: PACKAGES, writeConcern: { w: 'majority', journal: true } });
    this.#files = db.collection(`${PACKAGES}.files`);
    this.#chunks = db.collection(`${PACKAGES}.chunks`);
    this.#drafts = db.collection('reporting_drafts');
  }

  async prepare(): Promise<void> {
    await this.#files.createIndex({ filename: 1 }, { name: 'by_name', unique: true });
    await this.#chunks.createIndex({ files_id: 1, n: 1 }, { name: 'files_id_1_n_1', unique: true });
    const old = new Date(Date.now() - this.#abandonedMs);
    for (const { _id } of await this.#drafts.find({ begunAt: { $lte: old } }).toArray()) await this.#settle(_id);
  }

  async put(name: string, chunks: Iterable<string | Uint8Array>): Promise<void> {
    if ((await this.#find(requireBlobName(name))) !== null) return;
    const id = new mongo.ObjectId();
    await this.#drafts.insertOne({ _id: id, begunAt: new Date() });
    const until = Date.now() + this.#abandonedMs / 2;
    const upload = this.#bucket.openUploadStreamWithId(id, name);
    try {
      await written(upload, chunks, until);
    } catch (error) {
      await this.#settle(id).catch(() => undefined);
      // A concurrent upload of the same name has the same content.
      if (isDuplicateKey(error)) return;
      throw error;
    }
    await this.#drafts.deleteOne({ _id: id });
  }

  async get(name: string): Promise<Buffer | null> {
    const file = await this.#find(requireBlobName(name));
    if (file === null) return null;
    const parts: Buffer[] = [];
    try {
      for await (const part of this.#bucket.openDownloadStream(file._id)) parts.push(part as Buffer);
    } catch (error) {
      if ((await this.#find(name)) === null) return null;
      throw error;
    }
    const bytes = Buffer.concat(parts);
    if (bytes.length === file.length) return bytes;
    // The driver ends a stream normally if its chunks were removed meanwhile.
    if ((await this.#find(name)) === null) return null;
    throw new Error(`the stored ${name} has ${bytes.length} of its ${file.length} bytes`);
  }

  async remove(name: string): Promise<void> {
    const file = await this.#find(requireBlobName(name));
    if (file === null) return;
    // Chunks hold content: after a crash, a later start finds chunks without a file by this document.
    await this.#drafts.updateOne({ _id: file._id }, { $setOnInsert: { begunAt: new Date() } }, { upsert: true });
    await this.#files.deleteOne({ _id: file._id });
    await this.#chunks.deleteMany({ files_id: file._id });
    await this.#drafts.deleteOne({ _id: file._id });
  }

  async namesBefore(ms: number): Promise<readonly string[]> {
    const found = await this.#files
      .find({ uploadDate: { $lt: new Date(ms) } }, { projection: { filename: 1 } })
      .toArray();
    return found.map(({ filename }) => filename);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #find(name: string): Promise<mongo.GridFSFile | null> {
    return this.#files.findOne({ filename: name });
  }

  /** Ends an upload: without its file, its chunks are orphaned. */
  async #settle(id: mongo.ObjectId): Promise<void> {
    if ((await this.#files.findOne({ _id: id })) === null) await this.#chunks.deleteMany({ files_id: id });
    await this.#drafts.deleteOne({ _id: id });
  }
}

function written(
  upload: mongo.GridFSBucketWriteStream,
  chunks: Iterable<string | Uint8Array>,
  until: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    upload.once('finish', () => resolve()).once('error', reject);
    const feed = async (): Promise<void> => {
      for (const chunk of chunks) {
        if (Date.now() > until) throw new Error('the upload takes too long');
        if (!upload.write(chunk)) await drainedOrClosed(upload);
        if (upload.destroyed) return;
      }
      upload.end();
    };
    feed().catch((error: unknown) => {
      upload.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}

function drainedOrClosed(upload: mongo.GridFSBucketWriteStream): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      upload.off('drain', go).off('close', go);
      resolve();
    };
    upload.on('drain', go).on('close', go);
  });
}
