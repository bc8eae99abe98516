import { randomBytes } from 'node:crypto';
import { dropDatabase } from './drop-database.js';
import { MongoProxy } from './mongo-proxy.js';

interface Closing {
  close(): Promise<unknown>;
}

/** `createConnection` of mongoose. */
export type ConnectToMongo = (uri: string) => {
  asPromise(): Promise<Closing & { dropDatabase(): Promise<unknown> }>;
};

/** Stores on one database of their own: one connected directly, and two behind a proxy that injects faults. */
export class StoresUnderFaults<S extends Closing> {
  private constructor(
    readonly proxy: MongoProxy,
    readonly direct: S,
    readonly stores: readonly S[],
    private readonly forget: () => Promise<void>,
  ) {}

  /**
   * @param server address without a database
   * @param name beginning of the database's name
   */
  static async open<S extends Closing>(
    server: string,
    name: string,
    connect: ConnectToMongo,
    open: (uri: string) => Promise<S>,
  ): Promise<StoresUnderFaults<S>> {
    const url = new URL(server);
    url.pathname = `/${name}_faults_${randomBytes(6).toString('hex')}`;
    const proxy = await MongoProxy.before(url.href);
    const direct = await open(url.href);
    const stores = await Promise.all([1, 2].map(() => open(proxy.through(url.href))));
    return new StoresUnderFaults(proxy, direct, stores, async () => {
      const connection = await connect(url.href).asPromise();
      await dropDatabase(connection);
      await connection.close();
    });
  }

  /** Closes all stores and drops the database. */
  async close(): Promise<void> {
    this.proxy.heal();
    await Promise.all([this.direct, ...this.stores].map((store) => store.close()));
    await this.forget();
    await this.proxy.close();
  }
}
