/**
 * The parts of kafkajs 2.2.4 below its public interface that this adapter uses: one connection, and the encodings of
 * the requests that are not encoded here (see decision 0020). The version is exact in package.json.
 */
declare module 'kafkajs/src/network/connection.js' {
  import type { Socket } from 'node:net';

  interface Options {
    host: string;
    port: number;
    clientId: string;
    connectionTimeout: number;
    requestTimeout: number;
    enforceRequestTimeout: boolean;
    logger: unknown;
    /** Modified by the connection: each needs its own. */
    sasl: { mechanism: string; username: string; password: string } | null;
    socketFactory: (to: { host: string; port: number; onConnect: () => void }) => Socket;
  }
  interface Exchange {
    request: unknown;
    response: { decode(payload: Buffer): Promise<unknown>; parse(decoded: unknown): Promise<unknown> };
    logResponseError: boolean;
  }
  class Connection {
    constructor(options: Options);
    socket?: Socket;
    connect(): Promise<unknown>;
    disconnect(): Promise<unknown>;
    isConnected(): boolean;
    send(exchange: Exchange): Promise<unknown>;
    rejectRequests(error: Error): void;
    setVersions(versions: Readonly<Record<number, { minVersion: number; maxVersion: number }>>): void;
    /** Reports whether credentials travel in Kafka's own messages (KIP-152), so that a refusal has a reason. */
    setSupportAuthenticationProtocol(isSupported: boolean): void;
    /** Does nothing without `sasl`. Concurrent calls share one exchange. */
    authenticate(): Promise<void>;
    /** `false` without `sasl`, and from ten seconds before the end of the session that the broker granted. */
    isAuthenticated(): boolean;
  }
  export { Connection as default };
}

declare module 'kafkajs/src/protocol/requests/index.js' {
  type Definition = (options: unknown) => {
    request: unknown;
    response: { decode(payload: Buffer): Promise<unknown> };
  };
  interface Definitions {
    versions: string[];
    protocol(of: { version: number }): Definition;
  }
  const api: {
    requests: Readonly<Record<string, Definitions>>;
    lookup(
      versions: Readonly<Record<number, { minVersion: number; maxVersion: number }>>,
    ): (apiKey: number, definitions: Definitions) => Definition;
  };
  export { api as default };
}

declare module 'kafkajs/src/protocol/requests/apiKeys.js' {
  const apiKeys: Readonly<Record<string, number>>;
  export { apiKeys as default };
}
