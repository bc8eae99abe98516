import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTP server that keeps what it was sent, once it has answered with success. */
export class Receiver {
  readonly accepted: Received[] = [];
  /** Answers a request; the default accepts it. */
  answer: (received: Received) => { readonly status: number; readonly body?: string } = () => ({ status: 200 });
  #server: Server | null = null;
  #port = 0;

  /** Listens, at the same port as before. */
  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        this.#take({ path: request.url ?? '', headers: request.headers, body }, response);
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Ends all connections, also in the middle of a request. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  #take(received: Received, response: ServerResponse): void {
    const { status, body = '' } = this.answer(received);
    if (status >= 200 && status < 300) this.accepted.push(received);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }
}
