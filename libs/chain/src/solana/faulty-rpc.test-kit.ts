import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { post } from '../localnet/fixtures.test-kit.js';

export interface RpcCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Behaviour of a faulty node for one call. */
export type Fault =
  | { readonly kind: 'http'; readonly status: number; readonly retryAfter?: string }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'text'; readonly text: string }
  | null;

/** A node that forwards to a healthy one what `fault` lets through. */
export class FaultyRpc {
  readonly calls: RpcCall[] = [];
  fault: (call: RpcCall) => Fault = () => null;
  #server: Server | undefined;

  constructor(private readonly upstream: string) {}

  get url(): string {
    return `http://127.0.0.1:${(this.#server?.address() as AddressInfo).port}`;
  }

  count(method: string): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  async start(): Promise<this> {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString('utf8');
        const call = JSON.parse(body) as RpcCall;
        this.calls.push(call);
        const fault = this.fault(call);
        const answer = (value: unknown) =>
          response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...Object(value) }));
        switch (fault?.kind) {
          case 'http':
            response.writeHead(fault.status, fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter });
            response.end('no');
            break;
          case 'error':
            answer({ error: { code: fault.code, message: fault.message } });
            break;
          case 'result':
            answer({ result: fault.result });
            break;
          case 'hang':
            break;
          case 'cut':
            request.socket.destroy();
            break;
          case 'text':
            response.end(fault.text);
            break;
          case undefined:
            post(this.upstream, body).then(
              (value) => response.end(JSON.stringify(value)),
              () => response.destroy(),
            );
        }
      });
    });
    const server = this.#server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}
