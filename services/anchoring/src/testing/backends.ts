import { nodeCrypto } from '@countersign/process/node-crypto';
import { openMongoAnchorStore } from '../store/mongo.js';
import { TestDatabase } from '../store/mongo-test-database.js';
import { sqliteStore, type OpenStore } from './house.js';

/** A store that tests of the service run on. */
export interface Backend {
  readonly name: string;
  readonly available: boolean;
  readonly openStore: OpenStore;
  /** Where the Mongo one keeps its documents. */
  readonly database: TestDatabase | null;
  /** Forgets what the last test stored. */
  clear(): Promise<void>;
  end(): Promise<void>;
}

/**
 * Every backend; one whose server is not named says so in its name.
 * @param server address of MongoDB, without a database
 */
export function backends(server: string | undefined): readonly Backend[] {
  const nothing = async (): Promise<void> => undefined;
  const sqlite = { openStore: sqliteStore, available: true, database: null, clear: nothing, end: nothing };
  const database = new TestDatabase(server ?? 'mongodb://not-named');
  const mongo: Backend = {
    name: server === undefined ? 'MongoDB (needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI)' : 'MongoDB',
    available: server !== undefined,
    database,
    openStore: () => openMongoAnchorStore(database.uri, { sha256: nodeCrypto.sha256, leaseMs: 3_000 }),
    clear: () => database.clear(),
    end: () => (server === undefined ? nothing() : database.drop()),
  };
  return [{ name: 'SQLite', ...sqlite }, mongo];
}
