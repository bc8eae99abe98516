import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What the node does to its callers at the moment. */
export type NodeFault =
  | 'none'
  /** Says that it took a transaction and forgets it. */
  | 'drops'
  /** Answers 429 and asks to come back in a second. */
  | 'refuses'
  /** Takes each transaction on, calls it expired two seconds after it was made, and knows of none: it is far behind. */
  | 'lags'
  /** Calls a transaction expired two seconds after it was made, and keeps each that it gets until `release`. */
  | 'delays';

const SHORT_VALIDITY_BLOCKS = 5;
/** In the form of a signature. */
const TAKEN = '1'.repeat(64);

/** A Solana node that passes on to a healthy one what its present fault lets through. */
export class FaultyNode {
  fault: NodeFault = 'none';
  /** What each fault did so far. */
  readonly did = { drops: 0, refuses: 0, lags: 0, delays: 0 };
  /** Each transaction that came, by what it says: who signs what, without the blockhash. */
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

  /** How many different transactions that say the same came; of the most frequent one. */
  get mostAlike(): number {
    return Math.max(0, ...[...this.#sent.values()].map((wires) => wires.size));
  }

  /** Forgets what came, so that `mostAlike` tells of what follows. */
  countAnew(): void {
    this.#sent.clear();
  }

  /** Resolves once somebody has asked that and `act` is over, which runs after it was passed on and instead of an answer. */
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
      throw new Error('whoever asked is gone');
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

  /** A legacy transaction of one signature: that, the header, the accounts, the blockhash, the instructions. */
  #note(wire: string): void {
    const bytes = Buffer.from(wire, 'base64');
    const accounts = 1 + 64 + 3;
    const blockhash = accounts + 1 + 32 * (bytes[accounts] ?? 0);
    const says = bytes.toString('base64', accounts, blockhash) + bytes.toString('base64', blockhash + 32);
    this.#sent.set(says, (this.#sent.get(says) ?? new Set()).add(wire));
  }

  /** Hands over what was kept, as a slow network would; how many transactions the healthy node took. */
  async release(): Promise<number> {
    const held = [...this.#held.values()];
    this.#held.clear();
    let taken = 0;
    for (const body of held) if ('result' in (JSON.parse(await this.#pass(body)) as object)) taken += 1;
    return taken;
  }

  /** Asks the healthy node. */
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
