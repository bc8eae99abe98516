import { connect } from 'node:net';
import Connection from 'kafkajs/src/network/connection.js';
import apiKeys from 'kafkajs/src/protocol/requests/apiKeys.js';
import api from 'kafkajs/src/protocol/requests/index.js';
import type { OwnRequest } from './requests.js';

const CONNECT_MS = 2000;
const GREETING_MS = 3000;
const KEEP_ALIVE_MS = 10_000;

/** The request has not left this process. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}
/** The request was sent and no answer came: what it asked for may have happened, or may yet happen. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

type Versions = Readonly<Record<number, { minVersion: number; maxVersion: number }>>;

interface Open {
  readonly connection: Connection;
  readonly versions: Versions;
  /** What waits for an answer, in the order in which it was sent. */
  readonly waiting: Map<number, (lost: Error) => void>;
  sent: number;
}

const nothing = () => undefined;
const SILENT = { namespace: () => SILENT, debug: nothing, info: nothing, warn: nothing, error: nothing };

function makeSocket({ host, port, onConnect }: { host: string; port: number; onConnect: () => void }) {
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  socket.on('connect', onConnect);
  return socket;
}

/**
 * One connection to one broker, opened by the first request and again after it was lost. The broker takes the requests
 * of a connection one after the other and answers in order: a long poll holds up what is asked behind it.
 */
export class Link {
  readonly address: string;
  readonly #clientId: string;
  #opening: Promise<Open> | null = null;
  #closed = false;

  constructor(address: string, clientId: string) {
    this.address = address;
    this.#clientId = clientId;
  }

  /**
   * Sends a request that is encoded here and gives its decoded answer. An answer that takes longer than `timeoutMs`
   * resets the connection. Rejects with `NotSent` or `NoAnswer`.
   */
  async send<T>(request: OwnRequest<T>, timeoutMs: number): Promise<T> {
    const open = await this.#opened();
    const apiKey = apiKeys[request.name]!;
    const spoken = open.versions[apiKey];
    if (spoken === undefined || spoken.minVersion > request.version || spoken.maxVersion < request.version) {
      throw new NotSent(`${this.address} does not speak version ${request.version} of ${request.name}`);
    }
    const encode = async () => {
      const bytes = request.encode();
      return { buf: bytes, buffer: bytes, size: () => bytes.length };
    };
    const asked = { apiKey, apiName: request.name, apiVersion: request.version, encode };
    return (await this.#exchange(open, asked, async (payload) => request.decode(payload), timeoutMs)) as T;
  }

  /** As `send`, in the newest version that kafkajs and the broker speak. Error codes are in the answer. */
  async ask<T>(name: string, options: unknown, timeoutMs: number): Promise<T> {
    const open = await this.#opened();
    const { request, response } = api.lookup(open.versions)(apiKeys[name]!, api.requests[name]!)(options);
    return (await this.#exchange(open, request, (payload) => response.decode(payload), timeoutMs)) as T;
  }

  /** Drops the connection at once; requests under way reject with `NoAnswer`. The next request opens a new one. */
  reset(reason: string): void {
    const opening = this.#opening;
    this.#opening = null;
    opening?.then(({ connection }) => drop(connection, reason), nothing);
  }

  close(): void {
    this.#closed = true;
    this.reset('closed');
  }

  async #exchange(
    open: Open,
    request: unknown,
    decode: (payload: Buffer) => Promise<unknown>,
    timeoutMs: number,
  ): Promise<unknown> {
    const place = ++open.sent;
    const late = `no answer from ${this.address} within ${timeoutMs} ms`;
    const timer = setTimeout(() => {
      if (this.#opening !== null) void this.#opening.then((now) => now === open && this.reset(late), nothing);
      drop(open.connection, late);
    }, timeoutMs);
    const answer = open.connection.send({
      request,
      response: { decode, parse: async (decoded) => decoded },
      logResponseError: false,
    });
    try {
      return await new Promise((resolve, reject) => {
        open.waiting.set(place, reject);
        answer.then(resolve, reject);
      });
    } catch (error) {
      const message = (error as Error).message;
      const kind = message === 'Not connected' ? NotSent : NoAnswer;
      throw new kind(message.includes(this.address) ? message : `${this.address}: ${message}`, { cause: error });
    } finally {
      clearTimeout(timer);
      open.waiting.delete(place);
      if (open.waiting.size > 0) setImmediate(() => this.#giveUpBefore(place, open));
    }
  }

  /** Answers come in order: what was sent before an answered request and has no answer yet never gets one. */
  #giveUpBefore(place: number, { waiting }: Open): void {
    for (const [earlier, giveUp] of waiting) {
      if (earlier < place) giveUp(new Error(`an answer of ${this.address} was lost`));
    }
  }

  async #opened(): Promise<Open> {
    if (this.#closed) throw new NotSent(`the connection to ${this.address} is closed`);
    const opening = (this.#opening ??= this.#open());
    try {
      const open = await opening;
      if (open.connection.isConnected()) return open;
      if (this.#opening === opening) this.#opening = null;
      return await this.#opened();
    } catch (error) {
      if (this.#opening === opening) this.#opening = null;
      if (error instanceof NotSent) throw error;
      throw new NotSent(`cannot reach ${this.address}: ${(error as Error).message}`, { cause: error });
    }
  }

  async #open(): Promise<Open> {
    const separator = this.address.lastIndexOf(':');
    const connection = new Connection({
      host: this.address.slice(0, separator).replace(/^\[|\]$/g, ''),
      port: Number(this.address.slice(separator + 1)),
      clientId: this.#clientId,
      connectionTimeout: CONNECT_MS,
      requestTimeout: GREETING_MS,
      enforceRequestTimeout: false,
      logger: SILENT,
      socketFactory: makeSocket,
    });
    const timer = setTimeout(() => drop(connection, `no greeting within ${GREETING_MS} ms`), GREETING_MS);
    try {
      await connection.connect();
      const greeting = api.requests['ApiVersions']!.protocol({ version: 2 })({});
      const answer = (await connection.send({
        ...greeting,
        response: { decode: (payload) => greeting.response.decode(payload), parse: async (decoded) => decoded },
        logResponseError: false,
      })) as { apiVersions: readonly { apiKey: number; minVersion: number; maxVersion: number }[] };
      const versions = Object.fromEntries(answer.apiVersions.map((version) => [version.apiKey, version]));
      return { connection, versions, waiting: new Map(), sent: 0 };
    } catch (error) {
      drop(connection, (error as Error).message);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A reset, not an orderly end: what still lies in the send buffer must not reach the broker after what is sent anew. */
function drop(connection: Connection, reason: string): void {
  connection.rejectRequests(new Error(reason));
  connection.socket?.resetAndDestroy();
  connection.disconnect().catch(nothing);
}

/** The connections of one purpose, one for each broker. */
export class Links {
  readonly #clientId: string;
  readonly #links = new Map<string, Link>();

  constructor(clientId: string) {
    this.#clientId = clientId;
  }

  to(address: string): Link {
    let link = this.#links.get(address);
    if (link === undefined) this.#links.set(address, (link = new Link(address, this.#clientId)));
    return link;
  }

  close(): void {
    for (const link of this.#links.values()) link.close();
  }
}
