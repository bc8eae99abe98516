import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Bank } from './bank/bank.js';
import { Slots, SYSTEM_CLOCK } from './bank/slots.js';
import { Ledger } from './ledger/ledger.js';
import type { Localnet, LocalnetOptions } from './localnet.js';
import { createRpcServer } from './rpc/http-server.js';
import type { LocalNode } from './rpc/method.js';
import { PubSub } from './rpc/pubsub.js';

const TRIES_FOR_A_PAIR = 70;
/** Attempts with ports that the system chooses. */
const TRIES_OF_SYSTEM = 20;
/** Below the ports that Linux, macOS and Windows give to connections. */
const QUIET_PORTS = { first: 20_000, pairs: 6_000 } as const;
const FINALITY_MS = 1_000;

/**
 * Opens the ledger in `dir` (created when there is none) and serves it.
 * @throws LedgerDamaged, LedgerLocked, or the system's error when a port is taken
 */
export async function startLocalnet(options: LocalnetOptions): Promise<Localnet> {
  const { dir, port, host = '127.0.0.1', finalityMs = FINALITY_MS, clock = SYSTEM_CLOCK } = options;
  const ledger = Ledger.open(dir, clock.wallMs());
  let node: LocalNode;
  let servers: { readonly rpc: Server; readonly ws: Server };
  try {
    const { genesisHash, genesisMs } = ledger.genesis;
    const slots = new Slots({
      genesisHash,
      genesisMs,
      afterSlot: ledger.lastSlot,
      afterSeconds: ledger.lastSeconds,
      finalityMs,
      clock,
    });
    node = { ledger, slots, bank: new Bank(ledger, slots) };
    servers = await listenOnPair(() => createRpcServer(node), port, host);
  } catch (error) {
    ledger.close();
    throw error;
  }
  const pubSub = new PubSub(node, servers.ws);
  const rpcPort = (servers.rpc.address() as AddressInfo).port;
  const authority = host.includes(':') ? `[${host}]` : host;
  let closing: Promise<void> | null = null;
  return {
    rpcUrl: `http://${authority}:${rpcPort}`,
    wsUrl: `ws://${authority}:${rpcPort + 1}`,
    genesisHash: ledger.genesis.genesisHash,
    close: () => (closing ??= stop(node, servers, pubSub)),
  };
}

async function stop(node: LocalNode, servers: { rpc: Server; ws: Server }, pubSub: PubSub): Promise<void> {
  const closed = closeServer(servers.rpc);
  await node.bank.idle();
  pubSub.close();
  // Pending requests are still answered after the intake has stopped.
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 500))]);
  servers.rpc.closeAllConnections();
  await Promise.all([closed, closeServer(servers.ws)]);
  await node.bank.idle();
  node.ledger.close();
}

/**
 * Clients derive the WebSocket's port from the other: it is the next one. Linux gives even ports to connections and odd
 * ones to listeners, or vice versa: when thousands of connections were just closed, no pair of its choice is free.
 */
async function listenOnPair(makeRpc: () => Server, port: number, host: string): Promise<{ rpc: Server; ws: Server }> {
  for (let tries = 1; ; tries++) {
    const rpc = makeRpc();
    const ws = createServer((_request, response) => response.writeHead(426, { upgrade: 'websocket' }).end());
    try {
      await listen(rpc, port === 0 && tries > TRIES_OF_SYSTEM ? quietPort() : port, host);
      await listen(ws, (rpc.address() as AddressInfo).port + 1, host);
      return { rpc, ws };
    } catch (error) {
      await Promise.all([closeServer(rpc), closeServer(ws)]);
      if (port !== 0 || tries >= TRIES_FOR_A_PAIR) throw error;
    }
  }
}

function quietPort(): number {
  return QUIET_PORTS.first + 2 * Math.floor(Math.random() * QUIET_PORTS.pairs);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
