import { randomBytes } from 'node:crypto';
import { createConnection } from 'mongoose';
import { documentStoreContract } from '../document-store.contract.js';
import { openMongoDocumentStore } from './open-mongo-document-store.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  documentStoreContract('MongoDB', async () => {
    const url = new URL(SERVER);
    url.pathname = `/documents_${randomBytes(6).toString('hex')}`;
    return {
      open: (collections) => openMongoDocumentStore(url.href, 'test', collections),
      cleanup: async () => {
        const connection = await createConnection(url.href).asPromise();
        await connection.dropDatabase();
        await connection.close();
      },
    };
  });
}
