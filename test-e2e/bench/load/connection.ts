import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Target } from './job.js';
import { ResponseReader } from './response-reader.js';

const READ_BYTES = 16 * 1024;

/** A persistent connection with at most one request in flight. */
export class Connection {
  /** Start time of the request in flight, set by its sender; meaningless without one. */
  begunAt = 0;
  #busy = false;
  #broken = false;
  readonly #socket: Socket;

  /** @param answered is called with status 0 if the connection broke; it takes no more requests then */
  private constructor(
    target: Target,
    connected: (error: Error | null) => void,
    answered: (connection: Connection, status: number) => void,
  ) {
    const reader = new ResponseReader((status) => {
      this.#busy = false;
      answered(this, status);
    });
    const broke = (): void => {
      if (this.#broken) return;
      this.#broken = true;
      if (this.#busy) answered(this, 0);
    };
    this.#socket = connect({
      host: target.host,
      port: target.port,
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback: (length, buffer) => {
          try {
            reader.take(buffer.subarray(0, length));
          } catch {
            this.#socket.destroy();
          }
          return true;
        },
      },
    });
    this.#socket.once('connect', () => connected(null));
    this.#socket.on('error', (error) => {
      connected(error);
      broke();
    });
    this.#socket.on('close', broke);
  }

  static open(target: Target, answered: (connection: Connection, status: number) => void): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection: Connection = new Connection(
        target,
        (error) => (error === null ? resolve(connection) : reject(error)),
        answered,
      );
    });
  }

  get busy(): boolean {
    return this.#busy;
  }

  get broken(): boolean {
    return this.#broken;
  }

  send(request: string, begunAt: number): void {
    this.begunAt = begunAt;
    this.#busy = true;
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Opens this many connections, a few at a time. */
export async function openConnections(
  count: number,
  target: Target,
  answered: (connection: Connection, status: number) => void,
): Promise<Connection[]> {
  const opened: Connection[] = [];
  while (opened.length < count) {
    const some = Math.min(64, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: some }, () => Connection.open(target, answered)))));
  }
  return opened;
}
