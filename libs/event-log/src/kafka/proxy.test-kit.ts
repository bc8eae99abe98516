import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

export const PRODUCE = 0;

interface Pair {
  readonly client: Socket;
  readonly broker: Socket;
}

/** A proxy in front of a broker that drops, delays or cuts messages. It knows the framing of Kafka's messages. */
export class KafkaProxy {
  readonly #server: Server;
  readonly #target: number;
  readonly #pairs = new Set<Pair>();
  #frozen = false;
  #produceError: number | null = null;
  #toDrop: number | null = null;
  #dropped: () => void = () => undefined;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
    server.on('connection', (client) => this.#join(client));
  }

  static async listen(target: number): Promise<KafkaProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return new KafkaProxy(server, target);
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Drops the next answer to a request of that kind; resolves when it was dropped. */
  dropNextAnswer(apiKey: number): Promise<void> {
    this.#toDrop = apiKey;
    return new Promise((resolve) => (this.#dropped = resolve));
  }

  /** Replaces the error code of produce responses; `null`: unchanged. */
  sayProduceError(errorCode: number | null): void {
    this.#produceError = errorCode;
  }

  /** Connections stay open, but pass nothing in either direction. */
  freeze(): void {
    this.#frozen = true;
    for (const { client, broker } of this.#pairs) {
      client.pause();
      broker.pause();
    }
  }

  thaw(): void {
    this.#frozen = false;
    for (const { client, broker } of this.#pairs) {
      client.resume();
      broker.resume();
    }
  }

  /** Cuts every connection. */
  cut(): void {
    for (const { client, broker } of this.#pairs) {
      client.resetAndDestroy();
      broker.destroy();
    }
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket): void {
    const broker = connect({ host: '127.0.0.1', port: this.#target, noDelay: true });
    client.setNoDelay(true);
    const pair = { client, broker };
    this.#pairs.add(pair);
    const asked = new Map<number, number>();
    const end = () => {
      this.#pairs.delete(pair);
      client.destroy();
      broker.destroy();
    };
    for (const socket of [client, broker]) socket.on('error', end).on('close', end);
    onMessages(client, (message) => {
      asked.set(message.readInt32BE(8), message.readInt16BE(4));
      broker.write(message);
    });
    onMessages(broker, (message) => {
      const correlation = message.readInt32BE(4);
      const apiKey = asked.get(correlation);
      asked.delete(correlation);
      if (apiKey === PRODUCE && this.#produceError !== null) {
        // Length, correlation, topics, name, partitions, partition: then the code of the first partition.
        message.writeInt16BE(this.#produceError, 4 + 4 + 4 + 2 + message.readInt16BE(12) + 4 + 4);
      }
      if (apiKey === undefined || apiKey !== this.#toDrop) return client.write(message);
      this.#toDrop = null;
      this.#dropped();
    });
    if (!this.#frozen) return;
    client.pause();
    broker.pause();
  }
}

/** Whole messages: four bytes of length and that many bytes. */
function onMessages(socket: Socket, take: (message: Buffer) => void): void {
  let held: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= 4 && held.length >= 4 + held.readInt32BE(0)) {
      const end = 4 + held.readInt32BE(0);
      take(held.subarray(0, end));
      held = held.subarray(end);
    }
  });
}
