import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** An address of a Solana node that can be stopped and opened again: it forwards bytes to the node. */
export class StoppableNode {
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  private constructor(private readonly upstream: URL) {}

  static async start(upstream: string): Promise<StoppableNode> {
    const node = new StoppableNode(new URL(upstream));
    await node.open();
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens, always on the same port. */
  async open(): Promise<void> {
    const server = createServer((socket) => {
      const there = connect(Number(this.upstream.port), this.upstream.hostname);
      for (const [one, other] of [
        [socket, there],
        [there, socket],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Refuses connections, and ends those that are open. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
