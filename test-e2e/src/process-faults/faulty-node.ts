import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The current fault of the node. */
export type NodeFault =
  | 'none'
  /** Accepts a transaction and drops it. */
  | 'drops'
  /** Answers 429 with a retry after a second. */
  | 'refuses'
  /** Forwards each transaction, reports it as expired two seconds after it was made, and knows none: it is far behind. */
  | 'lags'
  /** Reports a transaction as expired two seconds after it was made, and keeps it until `release`. */
  | 'delays';

const SHORT_VALIDITY_BLOCKS = 5;
/** Has the form of a signature. */
const TAKEN = '1'.repeat(64);

/** A Solana node that forwards to a healthy one as far as its current fault allows. */
export class FaultyNode {
  fault: NodeFault = 'none';
  /** Number of effects of each fault so far. */
  readonly did = { drops: 0, refuses: 0, lags: 0, delays: 0 };
  /** Received transactions, by their content: signers and instructions, without the blockhash. */
  readonly #sent = new Map<string, Set<string>>();
  readonly #held = new Map<string, string>();
  #atNext: { readonly method: string; readonly act: () => Promise<unknown> } | null = null;
  readonly #server: Server;

  private constructor(readonly upstream: string) {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString('utf8');
        this.#answer(body).then(
          ({ status, text }) => response.writeHead(status, status === 429 ? { 'retry-after': '1' } : {}).end(text),
          () => response.destroy(),
        );
      });
    });
  }

  static async start(upstream: string): Promise<FaultyNode> {
    const node = new FaultyNode(upstream);
    await new Promise<void>((resolve) => node.#server.listen(0, '127.0.0.1', resolve));
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Largest number of different transactions with the same content. */
  get mostAlike(): number {
    return Math.max(0, ...[...this.#sent.values()].map((wires) => wires.size));
  }

  /** Resets `mostAlike`. */
  resetCount(): void {
    this.#sent.clear();
  }

  /** At the next call of the method: forwards it, runs `act`, and does not answer. Resolves after `act`. */
  atNext(method: string, act: () => Promise<unknown>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#atNext = { method, act: () => act().then(() => resolve(), reject) };
    });
  }

  async #answer(body: string): Promise<{ readonly status: number; readonly text: string }> {
    const { fault } = this;
    const { id, method, params } = JSON.parse(body) as Call;
    if (this.#atNext?.method === method) {
      const { act } = this.#atNext;
      this.#atNext = null;
      await this.#pass(body);
      await act();
      throw new Error('the caller is gone');
    }
    if (fault === 'refuses') {
      this.did.refuses += 1;
      return { status: 429, text: 'too many requests' };
    }
    if (method === 'sendTransaction') {
      const wire = String(params[0]);
      this.#note(wire);
      if (fault === 'drops' || fault === 'delays') {
        this.did[fault] += 1;
        if (fault === 'delays') this.#held.set(wire, body);
        return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id, result: TAKEN }) };
      }
    }
    if (method === 'getSignatureStatuses' && fault === 'lags') {
      this.did.lags += 1;
      const value = (params[0] as unknown[]).map(() => null);
      return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id, result: { context: { slot: 1 }, value } }) };
    }
    const text = await this.#pass(body);
    if (method !== 'getLatestBlockhash' || (fault !== 'delays' && fault !== 'lags')) return { status: 200, text };
    const answer = JSON.parse(text) as { result: { value: { lastValidBlockHeight: number } } };
    const height = await this.call<number>('getBlockHeight', []);
    answer.result.value.lastValidBlockHeight = height + SHORT_VALIDITY_BLOCKS;
    return { status: 200, text: JSON.stringify(answer) };
  }

  /** A legacy transaction with one signature: signature, header, accounts, blockhash, instructions. */
  #note(wire: string): void {
    const bytes = Buffer.from(wire, 'base64');
    const accounts = 1 + 64 + 3;
    const blockhash = accounts + 1 + 32 * (bytes[accounts] ?? 0);
    const says = bytes.toString('base64', accounts, blockhash) + bytes.toString('base64', blockhash + 32);
    this.#sent.set(says, (this.#sent.get(says) ?? new Set()).add(wire));
  }

  /** Forwards the kept transactions, like a slow network; returns how many the healthy node accepted. */
  async release(): Promise<number> {
    const held = [...this.#held.values()];
    this.#held.clear();
    let taken = 0;
    for (const body of held) if ('result' in (JSON.parse(await this.#pass(body)) as object)) taken += 1;
    return taken;
  }

  /** Calls the healthy node. */
  async call<T>(method: string, params: readonly unknown[]): Promise<T> {
    const answer = await this.#pass(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    return (JSON.parse(answer) as { result: T }).result;
  }

  async #pass(body: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(this.upstream, { method: 'POST', headers, body })).text();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
