import { createConnection, type Connection, type mongo } from 'mongoose';

/** Every document of a database, by collection. */
export type DatabaseCopy = ReadonlyMap<string, readonly mongo.Document[]>;

const BATCH = 500;

async function withDatabase<T>(uri: string, work: (database: mongo.Db) => Promise<T>): Promise<T> {
  const connection: Connection = await createConnection(uri).asPromise();
  try {
    return await work(connection.db!);
  } finally {
    await connection.close();
  }
}

/** Copies an idle database, for a consistent copy. @param uri with the name of the database */
export function copyDatabase(uri: string): Promise<DatabaseCopy> {
  return withDatabase(uri, async (database) => {
    const copy = new Map<string, readonly mongo.Document[]>();
    for (const { name } of await database.listCollections().toArray()) {
      copy.set(name, await database.collection(name).find({}, { promoteValues: false }).toArray());
    }
    return copy;
  });
}

/** Restores the database to the state of the copy: later data are removed. */
export function putBack(uri: string, copy: DatabaseCopy): Promise<void> {
  return withDatabase(uri, async (database) => {
    await database.dropDatabase();
    for (const [name, documents] of copy) {
      for (let from = 0; from < documents.length; from += BATCH) {
        await database.collection(name).insertMany(documents.slice(from, from + BATCH));
      }
    }
  });
}
