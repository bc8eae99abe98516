import { connect, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import Connection from 'kafkajs/src/network/connection.js';
import api from 'kafkajs/src/protocol/requests/index.js';
import type { BrokerAccess } from './access.js';

const CONNECT_MS = 2000;
const GREETING_MS = 3000;
/** For TLS or SASL handshakes: brokers that have just started, or to which all clients reconnect, are slow at both. */
const HANDSHAKES_MS = 10_000;
const REAUTHENTICATION_MS = 5000;
const KEEP_ALIVE_MS = 10_000;

/** The request has not left this process. */
export class NotSent extends Error {
  override readonly name: string = 'NotSent';
}
/**
 * The broker is reachable, but one side does not accept the other: retrying does not help until the configuration
 * changes.
 */
export class NotAccepted extends NotSent {
  override readonly name = 'NotAccepted';
}

export type Versions = Readonly<Record<number, { minVersion: number; maxVersion: number }>>;

const nothing = () => undefined;
const SILENT = { namespace: () => SILENT, debug: nothing, info: nothing, warn: nothing, error: nothing };
/** Codes of OpenSSL and Node.js for certificates that either side refuses, and for a peer without TLS. */
const TLS_CODES = /CERT|LEAF_SIGNATURE|^ERR_SSL_/;

/** An open connection to a broker that has authenticated the client. */
export class BrokerConnection {
  readonly connection: Connection;
  readonly versions: Versions;
  readonly #address: string;
  readonly #access: BrokerAccess;
  readonly #tcp: Socket;

  private constructor(address: string, access: BrokerAccess, connection: Connection, versions: Versions, tcp: Socket) {
    this.#address = address;
    this.#access = access;
    this.connection = connection;
    this.versions = versions;
    this.#tcp = tcp;
  }

  /** Rejects with `NotAccepted` for certificates and credentials, with another error for everything else. */
  static async open(address: string, access: BrokerAccess): Promise<BrokerConnection> {
    const { host, port } = parts(address);
    const tcp = await connectTcp(host, port);
    const timeoutMs = access.tls === null && access.sasl === null ? GREETING_MS : HANDSHAKES_MS;
    const connection = new Connection({
      host,
      port,
      clientId: access.clientId,
      connectionTimeout: timeoutMs,
      requestTimeout: timeoutMs,
      enforceRequestTimeout: false,
      logger: SILENT,
      sasl: access.sasl === null ? null : { ...access.sasl },
      socketFactory: ({ onConnect }) => over(tcp, host, access, onConnect),
    });
    const timer = setTimeout(() => drop(connection, tcp, `no greeting within ${timeoutMs} ms`), timeoutMs);
    try {
      await connection.connect();
      const greeted = new BrokerConnection(address, access, connection, await greet(connection), tcp);
      connection.setVersions(greeted.versions);
      connection.setSupportAuthenticationProtocol(true);
      await greeted.#authenticate();
      return greeted;
    } catch (error) {
      drop(connection, tcp, (error as Error).message);
      throw explained(error as Error, address, access);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reports whether the broker requires re-authentication now: its sessions may end. */
  get expires(): boolean {
    return this.#access.sasl !== null && !this.connection.isAuthenticated();
  }

  /** Authenticates again; rejects, and drops the connection, when that fails. */
  async renew(): Promise<void> {
    const late = `no answer from ${this.#address} within ${REAUTHENTICATION_MS} ms`;
    const timer = setTimeout(() => this.drop(late), REAUTHENTICATION_MS);
    try {
      await this.#authenticate();
    } catch (error) {
      this.drop((error as Error).message);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A reset, not an orderly end: data in the send buffer must not reach the broker after it is resent. */
  drop(reason: string): void {
    drop(this.connection, this.#tcp, reason);
  }

  async #authenticate(): Promise<void> {
    const { sasl } = this.#access;
    if (sasl === null) return;
    try {
      await this.connection.authenticate();
    } catch (error) {
      // A lost connection is closed by now; a broker that refuses answers first.
      if (!this.connection.isConnected()) throw error;
      const { name, message } = error as Error;
      const refused = name === 'KafkaJSSASLAuthenticationError';
      throw new NotAccepted(
        refused
          ? `Kafka refuses the credentials of ${sasl.username} at ${this.#address}: ${message}`
          : `Kafka does not take SASL ${sasl.mechanism} at ${this.#address}: ${message}`,
        { cause: error },
      );
    }
  }
}

function parts(address: string): { host: string; port: number } {
  const separator = address.lastIndexOf(':');
  return {
    host: address.slice(0, separator).replace(/^\[|\]$/g, ''),
    port: Number(address.slice(separator + 1)),
  };
}

async function connectTcp(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', (error: Error & { code?: string }) =>
        reject(error.message === '' ? new Error(`connect ${error.code}`, { cause: error }) : error),
      );
      timer = setTimeout(() => socket.destroy(new Error(`no connection within ${CONNECT_MS} ms`)), CONNECT_MS);
    });
  } finally {
    clearTimeout(timer);
  }
  // Readers receive errors as well; this socket may be below a TLS one.
  socket.on('error', nothing);
  return socket;
}

/**
 * The stream of the protocol: the connection itself, or TLS over it. The name is checked against the certificate in
 * either case.
 */
function over(tcp: Socket, host: string, { tls }: BrokerAccess, onConnect: () => void): Socket {
  if (tls === null) {
    process.nextTick(onConnect);
    return tcp;
  }
  const name = tls.servername ?? (isIP(host) === 0 ? host : null);
  const named = name === null ? {} : { servername: name };
  return connectTls({ socket: tcp, host, secureContext: tls.context, ...named }, onConnect);
}

async function greet(connection: Connection): Promise<Versions> {
  const greeting = api.requests['ApiVersions']!.protocol({ version: 2 })({});
  const answer = (await connection.send({
    ...greeting,
    response: { decode: (payload) => greeting.response.decode(payload), parse: async (decoded) => decoded },
    logResponseError: false,
  })) as { apiVersions: readonly { apiKey: number; minVersion: number; maxVersion: number }[] };
  return Object.fromEntries(answer.apiVersions.map((version) => [version.apiKey, version]));
}

/** Explains a failed opening. A broker that refuses the client's certificate reports it only at the first request. */
function explained(error: Error & { readonly code?: string }, address: string, { tls }: BrokerAccess): Error {
  if (tls !== null && TLS_CODES.test(error.code ?? '')) {
    return new NotAccepted(`no TLS with Kafka at ${address}: ${error.message}`, { cause: error });
  }
  if (tls === null && error.message === 'Closed connection') {
    return new Error('it closed the connection at the greeting, as one that expects TLS does', { cause: error });
  }
  return error;
}

function drop(connection: Connection, tcp: Socket, reason: string): void {
  connection.rejectRequests(new Error(reason));
  // A connection that the broker has ended cannot be reset while its own end is pending: Node.js would keep the handle
  // for ever, and an exiting process would wait for it in a busy loop.
  if (tcp.writableEnded) tcp.destroy();
  else tcp.resetAndDestroy();
  connection.disconnect().catch(nothing);
}
