import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createConnection, mongo, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import { openMongoPackageBodies } from './mongo-package-bodies.js';
import { PackageRemoved, type PackageBodies } from './package-bodies.js';

const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const SHA = 'ab'.repeat(32);

if (URI === undefined) {
  describe.skip('packages in GridFS need MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
    it('has no server', () => undefined);
  });
} else {
  const uri = URI.replace(/\/(?=\?|$)/, `/packages_${randomBytes(6).toString('hex')}`);

  describe('packages in GridFS', () => {
    let connection: Connection;
    let bodies: PackageBodies;
    beforeAll(async () => {
      connection = await createConnection(uri, mongoOptions(uri)).asPromise();
      bodies = await openMongoPackageBodies(uri);
    });
    beforeEach(async () => {
      const bucket = new mongo.GridFSBucket(connection.db!, { bucketName: 'reporting_packages' });
      await pipeline(Readable.from([Buffer.from('{"a":1}')]), bucket.openUploadStream(SHA));
    });
    afterEach(async () => {
      for (const part of ['files', 'chunks']) await connection.collection(`reporting_packages.${part}`).deleteMany({});
    });
    afterAll(async () => {
      await bodies.close();
      await connection.dropDatabase();
      await connection.close();
    });
    const first = async (remove: () => Promise<unknown>): Promise<unknown> => {
      const { chunks } = (await bodies.get(SHA))!;
      await remove();
      return chunks[Symbol.asyncIterator]().next();
    };

    it('are read by their hash, and are null where there is none', async () => {
      expect((await bodies.get(SHA))!.bytes).toBe(7);
      expect(await first(async () => undefined)).toMatchObject({ value: Buffer.from('{"a":1}') });
      expect(await bodies.get('cd'.repeat(32))).toBeNull();
    });

    it.each([['files'], ['chunks']])('are gone where their %s are removed before they are read', async (part) => {
      const remove = (): Promise<unknown> => connection.collection(`reporting_packages.${part}`).deleteMany({});
      await expect(first(remove)).rejects.toThrow(PackageRemoved);
    });
  });
}
