import { randomUUID } from 'node:crypto';
import { nodeCrypto } from '@countersign/service-kit';
import { createConnection } from 'mongoose';
import { openMongoAnchorStore } from './mongo.js';
import type { AnchorStore } from './port.js';
import { anchorStoreContract } from './store.contract.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const needed = SERVER === undefined ? describe.skip : describe;

needed('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => {
  const name = `anchoring_${randomUUID().slice(0, 8)}`;
  const uri = (SERVER ?? '').replace(/\/?(\?|$)/, `/${name}$1`);
  const open = (): Promise<AnchorStore> => openMongoAnchorStore(uri, { sha256: nodeCrypto.sha256, leaseMs: 2_000 });

  afterAll(async () => {
    const connection = await createConnection(uri).asPromise();
    await connection.dropDatabase();
    await connection.close();
  });

  anchorStoreContract('mongo', {
    open,
    async reopen(store) {
      await store.close();
      return open();
    },
    async clean() {
      const connection = await createConnection(uri).asPromise();
      for (const { name: collection } of await connection.db!.listCollections().toArray()) {
        await connection.db!.collection(collection).deleteMany({});
      }
      await connection.close();
    },
  });
});
