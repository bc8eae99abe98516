import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Faults of a command; its connection breaks in every case. */
export type MongoFault =
  /** The command never reaches the server. */
  | 'cut'
  /** The server executes it; the reply is lost. */
  | 'answer lost'
  /** The server executes it later, while the client tries again. */
  | 'done late';

export const MONGO_FAULTS: readonly MongoFault[] = ['cut', 'answer lost', 'done late'];

/** Commands that write. */
export const MONGO_WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'bulkWrite', 'findAndModify']);

const OP_MSG = 2013;
const HEADER = 16;
/** Header, flags, kind of the first section, length of its document, type of the first element. */
const NAME_AT = HEADER + 4 + 1 + 4 + 1;
const LATE_MS = 60;

/** A proxy in front of a MongoDB server that injects faults. It knows where commands begin and end, and their names. */
export class MongoProxy {
  readonly #server: Server;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  readonly #counts = new Map<MongoFault, number>();
  #decide: (command: string) => MongoFault | null = () => null;

  private constructor(server: Server, target: { readonly host: string; readonly port: number }) {
    this.#server = server;
    this.#target = target;
    server.on('connection', (client) => this.#join(client));
  }

  /** @param uri of one server */
  static async before(uri: string): Promise<MongoProxy> {
    const { hostname, port } = new URL(uri);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new MongoProxy(server, { host: hostname, port: Number(port) });
  }

  /** Returns the same address by way of this proxy; a client checks the server again at once if a connection broke. */
  through(uri: string): string {
    const url = new URL(uri);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    url.searchParams.set('minHeartbeatFrequencyMS', '10');
    return url.href;
  }

  /** Chooses a fault for every command from now on, by its name; `null`: none. */
  decide(decide: (command: string) => MongoFault | null): void {
    this.#decide = decide;
  }

  /** Injects no further faults. */
  heal(): void {
    this.#decide = () => null;
  }

  /** Count of each fault. */
  get faults(): Readonly<Record<MongoFault, number>> {
    const of = (fault: MongoFault): number => this.#counts.get(fault) ?? 0;
    return { cut: of('cut'), 'answer lost': of('answer lost'), 'done late': of('done late') };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket): void {
    const server = connect({ ...this.#target, noDelay: true });
    client.setNoDelay(true);
    let losing = false;
    // The server executes what it has received, also if the client is gone.
    let doing = false;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        if (!doing) other.destroy();
      });
    }
    onMessages(client, (message) => {
      if (losing) return;
      const command = nameOf(message);
      const fault = command === null ? null : this.#decide(command);
      if (fault === null) return void server.write(message);
      this.#counts.set(fault, (this.#counts.get(fault) ?? 0) + 1);
      losing = true;
      doing = fault !== 'cut';
      if (fault === 'answer lost') return void server.write(message);
      client.resetAndDestroy();
      if (fault === 'done late') void delay(LATE_MS).then(() => server.destroyed || server.write(message));
    });
    onMessages(server, (message) => {
      if (!losing) return void client.write(message);
      doing = false;
      client.resetAndDestroy();
      server.destroy();
    });
  }
}

/** Returns the name of a command; `null` for other messages. */
function nameOf(message: Buffer): string | null {
  if (message.readInt32LE(12) !== OP_MSG) return null;
  return message.toString('latin1', NAME_AT, message.indexOf(0, NAME_AT));
}

/** Splits a stream into messages: each begins with its length, which includes itself. */
function onMessages(socket: Socket, take: (message: Buffer) => void): void {
  let held: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= 4 && held.length >= held.readInt32LE(0)) {
      const end = held.readInt32LE(0);
      take(held.subarray(0, end));
      held = held.subarray(end);
    }
  });
}

/** Repeats a call until it succeeds, as a consumer of the log does with a batch. */
export async function persistently<T>(call: () => Promise<T>, mostTries = 100): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries === mostTries) throw error;
      await delay(5);
    }
  }
}

/** Chooses a fault for one in `every` writing commands, all kinds equally often, always the same for a `seed`. */
export function someMongoFaults(every: number, seed: number): (command: string) => MongoFault | null {
  let state = seed;
  const below = (n: number): number => {
    // The "quick and dirty" generator of Numerical Recipes; its high bits are good enough here.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  return (command) => {
    if (!MONGO_WRITES.has(command) || below(every) > 0) return null;
    return MONGO_FAULTS[below(MONGO_FAULTS.length)] ?? null;
  };
}
