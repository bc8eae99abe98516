import { randomUUID } from 'node:crypto';
import { createConnection, type Connection, type mongo } from 'mongoose';

/** A database of one test file's own, on the server that the address names. */
export class TestDatabase {
  readonly uri: string;
  #connection: Connection | null = null;

  /** @param server address without a database */
  constructor(server: string) {
    this.uri = server.replace(/\/?(\?|$)/, `/anchoring_${randomUUID().slice(0, 8)}$1`);
  }

  async db(): Promise<mongo.Db> {
    this.#connection ??= await createConnection(this.uri, { serverSelectionTimeoutMS: 5_000 }).asPromise();
    return this.#connection.db!;
  }

  async collection(name: string): Promise<mongo.Collection<{ _id: string }>> {
    return (await this.db()).collection(`anchoring_${name}`);
  }

  /** Empties it; indexes stay. */
  async clear(): Promise<void> {
    const db = await this.db();
    for (const { name } of await db.listCollections().toArray()) await db.collection(name).deleteMany({});
  }

  async drop(): Promise<void> {
    await (await this.db()).dropDatabase();
    await this.#connection?.close();
  }
}
