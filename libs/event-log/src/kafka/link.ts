import apiKeys from 'kafkajs/src/protocol/requests/apiKeys.js';
import api from 'kafkajs/src/protocol/requests/index.js';
import type { BrokerAccess } from './access.js';
import { BrokerConnection, NotSent } from './connect.js';
import type { OwnRequest } from './requests.js';

export { NotAccepted, NotSent } from './connect.js';

/** The request was sent without an answer: its effect may have happened, or may yet happen. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

interface Open {
  readonly broker: BrokerConnection;
  /** Pending requests in the order in which they were sent. */
  readonly waiting: Map<number, (lost: Error) => void>;
  sent: number;
  answered: boolean;
}

const nothing = () => undefined;

/**
 * One connection to one broker, opened by the first request and again after it was lost. The broker processes the
 * requests of a connection one after the other and answers in order: a long poll delays the requests after it.
 */
export class Link {
  readonly address: string;
  readonly #access: BrokerAccess;
  #opening: Promise<Open> | null = null;
  #closed = false;

  constructor(address: string, access: BrokerAccess) {
    this.address = address;
    this.#access = access;
  }

  /**
   * Sends a request that is encoded here and returns its decoded answer. An answer that takes longer than `timeoutMs`
   * resets the connection. Rejects with `NotSent` or `NoAnswer`.
   */
  async send<T>(request: OwnRequest<T>, timeoutMs: number): Promise<T> {
    const open = await this.#opened();
    const apiKey = apiKeys[request.name]!;
    const spoken = open.broker.versions[apiKey];
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
    const { request, response } = api.lookup(open.broker.versions)(apiKeys[name]!, api.requests[name]!)(options);
    return (await this.#exchange(open, request, (payload) => response.decode(payload), timeoutMs)) as T;
  }

  /** Drops the connection at once; pending requests reject with `NoAnswer`. The next request opens a new one. */
  reset(reason: string): void {
    const opening = this.#opening;
    this.#opening = null;
    opening?.then(({ broker }) => broker.drop(reason), nothing);
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
    const number = ++open.sent;
    const late = `no answer from ${this.address} within ${timeoutMs} ms`;
    const timer = setTimeout(() => {
      if (this.#opening !== null) void this.#opening.then((now) => now === open && this.reset(late), nothing);
      open.broker.drop(late);
    }, timeoutMs);
    const answer = open.broker.connection.send({
      request,
      response: { decode, parse: async (decoded) => decoded },
      logResponseError: false,
    });
    try {
      const answered = await new Promise((resolve, reject) => {
        open.waiting.set(number, reject);
        answer.then(resolve, reject);
      });
      open.answered = true;
      return answered;
    } catch (error) {
      const message = this.#meaning(error as Error, open);
      const kind = message === 'Not connected' ? NotSent : NoAnswer;
      throw new kind(message.includes(this.address) ? message : `${this.address}: ${message}`, { cause: error });
    } finally {
      clearTimeout(timer);
      open.waiting.delete(number);
      if (open.waiting.size > 0) setImmediate(() => this.#giveUpBefore(number, open));
    }
  }

  #meaning({ message }: Error, { answered }: Open): string {
    const atOnce = message === 'Closed connection' && !answered && this.#access.sasl === null;
    return atOnce ? 'it closed the connection at the first request, as one that expects SASL does' : message;
  }

  /** Answers come in order: a pending request that was sent before an answered one never gets an answer. */
  #giveUpBefore(number: number, { waiting }: Open): void {
    for (const [earlier, giveUp] of waiting) {
      if (earlier < number) giveUp(new Error(`an answer of ${this.address} was lost`));
    }
  }

  async #opened(): Promise<Open> {
    if (this.#closed) throw new NotSent(`the connection to ${this.address} is closed`);
    const opening = (this.#opening ??= this.#open());
    try {
      const open = await opening;
      if (open.broker.connection.isConnected()) {
        if (open.broker.expires) await open.broker.renew();
        return open;
      }
      if (this.#opening === opening) this.#opening = null;
      return await this.#opened();
    } catch (error) {
      if (this.#opening === opening) this.#opening = null;
      if (error instanceof NotSent) throw error;
      throw new NotSent(`cannot reach ${this.address}: ${(error as Error).message}`, { cause: error });
    }
  }

  async #open(): Promise<Open> {
    return {
      broker: await BrokerConnection.open(this.address, this.#access),
      waiting: new Map(),
      sent: 0,
      answered: false,
    };
  }
}

/** The connections for one purpose, one for each broker. */
export class Links {
  readonly #access: BrokerAccess;
  readonly #links = new Map<string, Link>();

  constructor(access: BrokerAccess) {
    this.#access = access;
  }

  to(address: string): Link {
    let link = this.#links.get(address);
    if (link === undefined) this.#links.set(address, (link = new Link(address, this.#access)));
    return link;
  }

  close(): void {
    for (const link of this.#links.values()) link.close();
  }
}
