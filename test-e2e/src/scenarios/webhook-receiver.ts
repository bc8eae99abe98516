import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** The body of a message. */
export interface Received {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly eventId: string;
    readonly agentId: string;
    readonly severity: string;
    readonly violation_type: string | null;
    readonly reason: string | null;
    readonly count: number;
  };
}

export interface Arrived {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTP server that receives webhooks, on an address that is kept while it is down. */
export class WebhookReceiver {
  readonly arrived: Arrived[] = [];
  #server: Server | null = null;
  #port = 0;

  /** `host:port`. */
  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get url(): string {
    return `http://${this.host}/alerts`;
  }

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        this.arrived.push({ id: String(request.headers['webhook-id']), headers: request.headers, body });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  /** Messages since the first `from`, each once, with verified signatures. @throws if one is not signed */
  received(secret: string, from = 0): readonly Received[] {
    const webhook = new Webhook(secret);
    const messages = new Map(this.arrived.slice(from).map((one) => [one.id, one]));
    return [...messages.values()].map(
      ({ body, headers }) => webhook.verify(body, headers as Record<string, string>) as Received,
    );
  }
}
