import { randomBytes } from 'node:crypto';
import { createConnection } from 'mongoose';
import type { Connection } from 'mongoose';
import { documentStoreContract } from '../document-store.contract.js';
import { OtherLayout } from '../inspect.js';
import type { Collection } from '../port.js';
import { THINGS } from '../things.test-double.js';
import { inspectMongoDocuments, openMongoDocumentStore } from './open-mongo-document-store.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  documentStoreContract('MongoDB', async () => {
    const url = new URL(SERVER);
    url.pathname = `/documents_${randomBytes(6).toString('hex')}`;
    const directly = async (work: (connection: Connection) => Promise<unknown>): Promise<void> => {
      const connection = await createConnection(url.href).asPromise();
      await work(connection);
      await connection.close();
    };
    return {
      open: (collections) => openMongoDocumentStore(url.href, 'test', collections),
      inspect: (collections) => inspectMongoDocuments(url.href, 'test', collections),
      damage: (id, field, value) => {
        const name = field === 'owner' ? 'keys.owner' : field;
        const things = (connection: Connection) => connection.db!.collection<{ _id: string }>('test_doc_things');
        return directly((connection) => things(connection).updateOne({ _id: id }, { $set: { [name]: value } }));
      },
      cleanup: () => directly((connection) => connection.dropDatabase()),
    };
  });

  it('reads no documents of a service that never ran, and refuses those of another release', async () => {
    const url = new URL(SERVER);
    url.pathname = `/documents_${randomBytes(6).toString('hex')}`;
    const collections = [THINGS] as unknown as readonly Collection<object>[];
    const connection = await createConnection(url.href).asPromise();
    await connection.db!.collection('other_things').insertOne({});
    const inspection = await inspectMongoDocuments(url.href, 'test', collections);
    for await (const { id } of inspection.documents(THINGS)) throw new Error(`${id} is there`);
    for await (const { place } of inspection.problems()) throw new Error(`${place} is there`);
    await inspection.close();
    await connection.db!.collection('test_things').insertOne({});
    await expect(inspectMongoDocuments(url.href, 'test', collections)).rejects.toThrow(OtherLayout);
    await connection.dropDatabase();
    await connection.close();
  });
}
