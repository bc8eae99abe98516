import { randomBytes } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createConnection, type Connection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';

const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const BYTES = 8_000_000;

(URI === undefined ? describe.skip : describe)(
  'a server that no longer reads (needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI)',
  () => {
    const dbName = `stalled_${randomBytes(6).toString('hex')}`;
    const sockets = new Set<Socket>();
    let between: Server;
    let connection: Connection;
    let stalled = false;

    beforeAll(async () => {
      const { hostname, port } = new URL(URI!);
      between = createServer((client) => {
        const server = connect(Number(port), hostname);
        for (const socket of [client, server]) sockets.add(socket.on('error', () => undefined));
        client.on('data', (bytes) => (stalled ? client.pause() : server.write(bytes)));
        server.on('data', (bytes) => (stalled ? undefined : client.write(bytes)));
        client.on('close', () => server.destroy());
        server.on('close', () => client.destroy());
      });
      await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
      const { port: ours } = between.address() as AddressInfo;
      const uri = `mongodb://127.0.0.1:${ours}/${dbName}?directConnection=true`;
      connection = await createConnection(uri, { ...mongoOptions(uri), socketTimeoutMS: 1000 }).asPromise();
    }, 30_000);
    afterAll(async () => {
      await connection.close(true);
      for (const socket of sockets) socket.destroy();
      between.close();
      const direct = await createConnection(URI!, { dbName }).asPromise();
      await direct.dropDatabase();
      await direct.close();
    }, 30_000);

    it('ends a write that does not fit into the buffers any more', async () => {
      const collection = connection.db!.collection('large');
      await collection.insertOne({ text: 'small' });
      stalled = true;
      const large = Array.from({ length: 80 }, () => ({ text: 'x'.repeat(BYTES / 80) }));
      await expect(collection.insertMany(large, { ordered: false })).rejects.toThrow();
    }, 30_000);
  },
);
