import type { Server } from 'node:http';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { Commitment } from '../../port.js';
import { answerCall } from './dispatch.js';
import type { RpcRequest } from './dispatch.js';
import type { LocalNode } from './method.js';
import { commitmentOf, configAt, countAt, signatureOf } from './params.js';
import { invalidParams, RpcError } from './rpc-error.js';

const MOST_CONNECTIONS = 500;
const MOST_SUBSCRIPTIONS = 1_000;
const LARGEST_MESSAGE = 64 * 1024;

interface Subscription {
  readonly id: number;
  readonly socket: WebSocket;
  readonly signature: string;
  readonly commitment: Commitment;
}

/** `signatureSubscribe` over WebSocket: one notification when the transaction reaches the commitment, then no more. */
export class PubSub {
  readonly #node: LocalNode;
  readonly #sockets: WebSocketServer;
  readonly #subscriptions = new Map<number, Subscription>();
  #lastId = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(node: LocalNode, server: Server) {
    this.#node = node;
    this.#sockets = new WebSocketServer({ server, maxPayload: LARGEST_MESSAGE, clientTracking: true });
    this.#sockets.on('connection', (socket) => this.#serve(socket));
    node.bank.onLanded(() => this.#notify());
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#subscriptions.clear();
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
  }

  #serve(socket: WebSocket): void {
    if (this.#sockets.clients.size > MOST_CONNECTIONS) {
      socket.close(1013, 'too many connections');
      return;
    }
    const mine = new Set<number>();
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      for (const id of mine) this.#subscriptions.delete(id);
    });
    socket.on('message', (message, isBinary) => {
      void this.#answer(socket, mine, isBinary ? '' : (message as Buffer).toString('utf8'));
    });
  }

  async #answer(socket: WebSocket, mine: Set<number>, text: string): Promise<void> {
    let call: unknown = null;
    try {
      call = JSON.parse(text);
    } catch {
      // `null` is answered as an invalid request.
    }
    const answer = await answerCall(call, (request) => this.#call(socket, mine, request));
    if (answer !== null) socket.send(JSON.stringify(answer));
    this.#notify();
  }

  #call(socket: WebSocket, mine: Set<number>, { method, params }: RpcRequest): unknown {
    switch (method) {
      case 'ping':
        return null;
      case 'signatureSubscribe': {
        for (const id of mine) if (!this.#subscriptions.has(id)) mine.delete(id);
        if (mine.size >= MOST_SUBSCRIPTIONS) throw invalidParams(`at most ${MOST_SUBSCRIPTIONS} subscriptions`);
        const id = ++this.#lastId;
        const signature = signatureOf(params[0]);
        this.#subscriptions.set(id, { id, socket, signature, commitment: commitmentOf(configAt(params, 1)) });
        mine.add(id);
        return id;
      }
      case 'signatureUnsubscribe': {
        const id = countAt(params, 0, 'subscription');
        if (!mine.delete(id)) throw invalidParams('Invalid subscription id.');
        this.#subscriptions.delete(id);
        return true;
      }
      default:
        throw new RpcError(-32601, 'Method not found');
    }
  }

  /** Notifies subscribers of transactions that arrived; checks again at the next slot while there are subscribers. */
  #notify(): void {
    const { ledger, slots } = this.#node;
    let waiting = false;
    for (const { id, socket, signature, commitment } of this.#subscriptions.values()) {
      const landed = ledger.bySignature(signature);
      if (landed === null) continue;
      if (landed.slot > slots.at(commitment)) {
        waiting = true;
        continue;
      }
      const result = { context: { slot: slots.at(commitment) }, value: { err: landed.failure } };
      const params = { result, subscription: id };
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'signatureNotification', params }));
      this.#subscriptions.delete(id);
    }
    if (waiting && this.#timer === null) {
      this.#timer = setTimeout(() => {
        this.#timer = null;
        this.#notify();
      }, slots.msToNextSlot() + 1);
    }
  }
}
